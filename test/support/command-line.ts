import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Launch } from '../../src/cli/launch.ts';
import { runProgram } from '../../src/cli/program.ts';
import { type ScriptedAnswer, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

export const KEY = 'app-key-nobody-may-see';
export const TOKEN = 'operator-token-nobody-may-see';

export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** The command line, run in this process against a server that answers as it is told. */
export interface CommandLine {
  /** By method and path; anything else is answered with 404. */
  readonly answers: Record<string, ScriptedAnswer | (() => ScriptedAnswer)>;
  readonly server: ScriptedServer;
  /** A folder of the test's own. */
  readonly directory: string;
  /** What was started instead of the server, the phone and the demo. */
  readonly launched: readonly { readonly what: string; readonly with: unknown }[];
  readonly launch: Launch;
  run(...args: string[]): Promise<Ran>;
  /** The same with the operator API's address and token. */
  operator(...args: string[]): Promise<Ran>;
  /** The same with the public listener's address and an app key. */
  withKey(...args: string[]): Promise<Ran>;
  /** The JSON body of the last request. */
  sent(): unknown;
  close(): Promise<void>;
}

const launchInto = (launched: { what: string; with: unknown }[]): Launch => ({
  settings: [
    { variable: 'RINGCAST_DATA_DIR', flag: '--data-dir', description: 'folder', default: './data' },
    { variable: 'RINGCAST_SIP_LISTEN', flag: '--sip-listen', description: 'SIP', default: '0.0.0.0:5060' },
  ],
  serve: async (flags) => void launched.push({ what: 'serve', with: flags }),
  phone: async (options) => void launched.push({ what: 'phone', with: options }),
  demo: async (options) => void launched.push({ what: 'demo', with: options }),
  callItself: async () => 'heard',
  backUp: async (target, dataDirectory) => void launched.push({ what: 'backup', with: { target, dataDirectory } }),
});

/** Runs one command line; what it wrote and its exit status. */
export const runCaptured = async (args: readonly string[], launch: Launch): Promise<Ran> => {
  const written = { out: '', err: '' };
  const status = await runProgram(args, launch, {
    out: { write: (text) => (written.out += text) },
    err: { write: (text) => (written.err += text) },
  });
  return { status, ...written };
};

/** Settings of whoever runs the tests must not reach them. */
const hideSettings = (): void => {
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('RINGCAST_')))
    vi.stubEnv(name, undefined);
};

export const openCommandLine = async (): Promise<CommandLine> => {
  hideSettings();
  const answers: CommandLine['answers'] = {};
  const launched: { what: string; with: unknown }[] = [];
  const launch = launchInto(launched);
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-cli-'));
  vi.stubEnv('XDG_CACHE_HOME', join(directory, 'cache'));
  const server = await startScriptedServer(({ method, path }) => {
    const answer = answers[`${method} ${path}`] ?? { status: 404, json: { detail: 'There is no such thing.' } };
    return typeof answer === 'function' ? answer() : answer;
  });
  const run = (...args: string[]): Promise<Ran> => runCaptured(args, launch);
  return {
    answers,
    server,
    directory,
    launched,
    launch,
    run,
    operator: (...args) => run(...args, '--operator-url', server.url, '--operator-token', TOKEN),
    withKey: (...args) => run(...args, '--url', server.url, '--app-key', KEY),
    sent: () => JSON.parse(server.seen.at(-1)?.body ?? ''),
    async close() {
      vi.unstubAllEnvs();
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
};
