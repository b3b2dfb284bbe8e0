import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectOutput, type DecoderProgram, runDecoder } from './decoder-process.ts';
import { findIsolation, type Isolation, isolationsFor, isolationsHere, NO_ISOLATION } from './isolation.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-isolation-'));
});
afterEach(() => rm(directory, { recursive: true }));

const shell = (isolation: Isolation, script: string): DecoderProgram => ({
  description: 'a script',
  command: '/bin/sh',
  prefix: ['-c', script],
  dataKiB: 64 * 1024,
  atOnce: 1,
  isolation,
});

const run = async (isolation: Isolation, script: string, input: number | 'ignore' = 'ignore') => {
  const { output, octets } = collectOutput(10_000);
  const order = { arguments: [], directory, input, outputs: [output], timeLimitMs: 20_000 };
  const result = await runDecoder(shell(isolation, script), order);
  return { ...result, output: octets().toString() };
};

const worksHere = async (isolation: Isolation): Promise<boolean> => (await run(isolation, 'exit 0')).exitCode === 0;

/** Tries `isolation` as somebody who is not root, whoever runs the tests. */
const asOrdinaryUser = (isolation: Isolation): Isolation => ({
  ...isolation,
  command: ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', ...isolation.command],
});

const ordinary = isolationsFor('linux', false).map(process.getuid?.() === 0 ? asOrdinaryUser : (same) => same);
const available = await (async () => {
  directory = tmpdir();
  const found: Isolation[] = [];
  for (const each of [...isolationsHere(), ...ordinary]) if (await worksHere(each)) found.push(each);
  return found;
})();
const apart = available.filter(({ hasNetwork }) => !hasNetwork);
if (apart.length === 0) console.warn('Skipped the tests of network namespaces: this system lets nobody make them');

describe.skipIf(apart.length === 0).each(apart)('$description ($command.0 $command.1)', (isolation) => {
  it('has no network, not even loopback', async () => {
    const { output } = await run(isolation, 'while read -r name rest; do echo "$name"; done </proc/self/net/dev');
    expect(output.match(/^\w+:/gm)).toEqual(['lo:']);
    expect((await run(isolation, 'cat /proc/self/net/route /proc/self/net/if_inet6')).output).not.toMatch(
      /^(?!Iface)./m,
    );
  });

  it('has no privilege and can gain none', async () => {
    const { output } = await run(isolation, 'cat /proc/self/status');
    expect(output).toMatch(/^CapEff:\t0+$/m);
    expect(output).toMatch(/^CapPrm:\t0+$/m);
    expect(output).toMatch(/^NoNewPrivs:\t1$/m);
  });

  it('ends with all that it started', async () => {
    const script = 'sleep 1000 </dev/null >/dev/null 2>&1 & readlink /proc/self/ns/pid; exit 3';
    const { exitCode, output } = await run(isolation, script);
    expect(exitCode).toBe(3);
    expect(await processesIn(output.trim())).toEqual([]);
  });

  it('tells the signal that ended it', async () => {
    expect(await run(isolation, '/bin/sh -c "kill -9 \\$\\$"; exit $?')).toMatchObject({ exitCode: 137 });
  });
});

/** Processes in a namespace, told by its name. */
const processesIn = async (namespace: string): Promise<readonly string[]> => {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = ids.map(async (id) =>
    (await readlink(`/proc/${id}/ns/pid`).catch(() => '')) === namespace ? [id] : [],
  );
  return (await Promise.all(found)).flat();
};

describe('what is for this user only', () => {
  it.each(isolationsHere())('is read as descriptor 0 all the same, $description', async (isolation) => {
    if (!available.includes(isolation)) return;
    const path = join(directory, 'secret');
    await writeFile(path, 'sound', { mode: 0o600 });
    await chmod(directory, 0o700);
    const file = await open(path);
    try {
      expect((await run(isolation, 'cat /dev/fd/0', file.fd)).output).toBe('sound');
    } finally {
      await file.close();
    }
  });
});

const bounded = available.filter(({ maxProcesses }) => maxProcesses !== 'unlimited');

it.skipIf(bounded.length === 0).each(bounded)('bounds processes: $description', async (isolation) => {
  const few = { ...isolation, maxProcesses: 4 };
  const { output, exitCode } = await run(few, 'for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; echo all');
  expect([exitCode, output]).not.toEqual([0, 'all\n']);
});

const CHILD = `
import { runDecoder } from ${JSON.stringify(new URL('./decoder-process.ts', import.meta.url).href)};
const [program, directory] = process.argv.slice(1);
const output = { maxBytes: 1000, write: (part) => void process.stdout.write(part) };
await runDecoder(JSON.parse(program), { arguments: [], directory, input: 'ignore', outputs: [output], timeLimitMs: 60_000 });
`;

const strictest = available[0] ?? NO_ISOLATION;

it.skipIf(strictest === NO_ISOLATION)('leaves nothing when the server is killed', async () => {
  const program = shell(strictest, 'readlink /proc/self/ns/pid; exec sleep 1000');
  const server: ChildProcess = spawn(
    process.execPath,
    ['--input-type=module', '-e', CHILD, JSON.stringify(program), directory],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (!server.stdout) throw new Error('no output');
  const lines = createInterface({ input: server.stdout });
  const [namespace] = (await once(lines, 'line')) as [string];
  expect(await processesIn(namespace)).not.toEqual([]);
  server.kill('SIGKILL');
  await once(server, 'exit');
  while ((await processesIn(namespace)).length > 0) await new Promise((resolve) => setImmediate(resolve));
});

it('goes without what a system lacks, the strictest first', async () => {
  const tried: string[] = [];
  const works = async ({ description }: Isolation) => tried.push(description) === 3;
  const found = await findIsolation(isolationsFor('linux', true), works);
  expect(found?.description).toBe(tried[2]);
  expect(isolationsFor('linux', true)[0]).toMatchObject({ hasNetwork: false, isStranger: true });
  expect(isolationsFor('linux', false).at(-1)).toBe(NO_ISOLATION);
  expect(isolationsFor('darwin', true)).toEqual([NO_ISOLATION]);
  expect(await findIsolation([NO_ISOLATION], async () => false)).toBeNull();
});
