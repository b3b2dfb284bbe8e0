import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Api, apiOf, LOOPBACK } from './ringcast.ts';

const EXECUTABLE = fileURLToPath(new URL('../../src/ringcast.ts', import.meta.url));

export interface ServerProcess {
  readonly id: number;
  readonly api: Api;
  readonly publicUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit status. */
  terminate(): Promise<number | null>;
}

export interface Ended {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

export const runRingcast = (
  args: readonly string[],
  environment: Record<string, string> = {},
  {
    cwd,
    within = [],
  }: {
    readonly cwd?: string /** A program that runs it, with its arguments. */;
    readonly within?: readonly string[];
  } = {},
): ChildProcess => {
  const [program = '', ...rest] = [...within, process.execPath, EXECUTABLE, ...args];
  return spawn(program, rest, {
    env: { PATH: process.env.PATH, ...environment },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};

/** Runs a command of `ringcast` to its end. */
export const ringcastEnds = async (...run: Parameters<typeof runRingcast>): Promise<Ended> => {
  const child = runRingcast(...run);
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr), exitOf(child)]);
  return { status: child.exitCode, output, errors };
};

/** `ringcast serve` as a process of its own, ready. */
export const spawnRingcast = async (
  dataDirectory: string,
  environment: Record<string, string> = {},
  within: readonly string[] = [],
): Promise<ServerProcess> => {
  const variables = { ...LOOPBACK, RINGCAST_DATA_DIR: dataDirectory, ...environment };
  const child = runRingcast(['serve'], variables, { within });
  const errors = textOf(child.stderr);
  const exited = exitOf(child);
  const ready = await Promise.race([firstLine(child), exited.then(() => null)]);
  if (ready === null) throw new Error(`the server ended at start: ${await errors}`);
  const { public: publicUrl, operator: operatorUrl } = JSON.parse(ready);
  const operatorToken =
    environment.RINGCAST_OPERATOR_TOKEN ?? (await readFile(join(dataDirectory, 'operator-token'), 'utf8')).trim();
  const end = (signal: NodeJS.Signals) => async () => {
    child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    id: child.pid ?? 0,
    publicUrl,
    operatorUrl,
    operatorToken,
    api: apiOf({ publicUrl, operatorUrl, operatorToken }),
    kill: async () => void (await end('SIGKILL')()),
    terminate: end('SIGTERM'),
  };
};

const exitOf = (child: ChildProcess): Promise<void> => new Promise((resolve) => child.once('exit', () => resolve()));

const firstLine = async (child: ChildProcess): Promise<string | null> => {
  if (!child.stdout) return null;
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) return line;
  return null;
};

const textOf = async (stream: NodeJS.ReadableStream | null): Promise<string> => {
  let text = '';
  if (stream) for await (const chunk of stream) text += chunk;
  return text;
};
