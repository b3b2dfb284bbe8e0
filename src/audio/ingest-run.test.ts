import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processTree } from '../../test/support/process-tree.ts';
import { NO_PROCESSING } from '../domain/media.ts';
import type { Log } from '../domain/ports.ts';
import { writeWav } from '../rtp/wav.ts';
import { type DecoderProgram, runDecoder } from './decoder-process.ts';
import { createIngest } from './ingest.ts';
import { IngestRun } from './ingest-run.ts';
import { findIsolation, isolationsHere, NO_ISOLATION } from './isolation.ts';

let directory: string;
let scratchDirectory: string;
let path: string;
const complaints: string[] = [];
const complain = (_: object, line: string): void => void complaints.push(line);
const log: Log = { debug: () => {}, info: () => {}, warn: complain, error: complain };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-run-'));
  scratchDirectory = await mkdtemp(join(directory, 'scratch-'));
  path = join(directory, 'upload');
  await writeFile(path, writeWav(new Int16Array(8000), 8000));
  complaints.length = 0;
});
afterEach(() => rm(directory, { recursive: true }));

const settingsOf = (program: Partial<DecoderProgram>) => ({
  program: {
    description: 'a decoder that hangs',
    command: '/bin/sh',
    prefix: ['-c', 'exec sleep 1000'],
    dataKiB: 64 * 1024,
    atOnce: 1,
    isolation: NO_ISOLATION,
    ...program,
  } satisfies DecoderProgram,
  scratchDirectory,
  timeLimitMs: 60_000,
});
const LIMITS = { maxSeconds: 60 };

/** The process and what it has started, once a decoder is among them. */
const untilDecoding = async (pid: number | undefined): Promise<readonly number[]> => {
  for (;;) {
    const found = await processTree(pid ?? 0);
    if (found.some(({ name }) => name === 'sleep')) return found.map(({ id }) => id);
  }
};

const isGone = (pid: number): boolean => {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true; // ESRCH
  }
};
/** They were killed; whoever takes in orphans may need a moment to note it. */
const untilGone = async (pids: readonly number[]): Promise<void> => {
  while (!pids.every(isGone)) await new Promise((resolve) => setImmediate(resolve));
};

const isolation = await findIsolation(isolationsHere(), async (each) => {
  const program = { ...settingsOf({ prefix: ['-c', 'exit 0'] }).program, isolation: each };
  const run = { arguments: [], directory: tmpdir(), input: 'ignore', outputs: [], timeLimitMs: 10_000 } as const;
  return (await runDecoder(program, run)).exitCode === 0;
});
const dying = isolation ?? NO_ISOLATION;

describe.skipIf(dying === NO_ISOLATION)('the process that ingests', () => {
  const settings = () => settingsOf({ isolation: dying });

  it('leaves nothing when it is killed: what it had in hand may be sent again', async () => {
    const run = new IngestRun(settings(), log);
    const ingesting = run.ingest(path, LIMITS, NO_PROCESSING);
    const pids = await untilDecoding(run.pid);
    process.kill(run.pid ?? 0, 'SIGKILL');
    await expect(ingesting).rejects.toMatchObject({ code: 'ingest_busy', message: expect.stringContaining('again') });
    expect(run.hasEnded).toBe(true);
    await run.close();
    await untilGone(pids);
    expect(await readdir(scratchDirectory)).toEqual([]);
    expect(complaints).toEqual(['the process that decodes uploads has ended; the next upload starts another']);
  });

  it('leaves nothing when it is closed, and says nothing of it', async () => {
    const run = new IngestRun(settings(), log);
    const ingesting = run.ingest(path, LIMITS, NO_PROCESSING);
    const refused = expect(ingesting).rejects.toMatchObject({ code: 'ingest_busy' });
    const pids = await untilDecoding(run.pid);
    await run.close();
    await refused;
    await untilGone(pids);
    expect(await readdir(scratchDirectory)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('ends with the server, however that ends', async () => {
    const server = spawn(process.execPath, ['--input-type=module', '-e', SERVER, JSON.stringify(settings()), path]);
    const pids = await untilDecoding(server.pid);
    server.kill('SIGKILL');
    await once(server, 'exit');
    await untilGone(pids.filter((pid) => pid !== server.pid));
  });

  it('goes on when all of its group is asked to stop, as a server does that drains', async () => {
    const run = new IngestRun(settingsOf({ prefix: ['-c', 'exit 1'] }), log);
    await expect(run.ingest(path, LIMITS, NO_PROCESSING)).rejects.toMatchObject({ code: 'not_audio' });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(run.pid ?? 0, signal);
    await expect(run.ingest(path, LIMITS, NO_PROCESSING)).rejects.toMatchObject({ code: 'not_audio' });
    await run.close();
  });
});

const SERVER = `
import { IngestRun } from ${JSON.stringify(new URL('./ingest-run.ts', import.meta.url).href)};
const [settings, path] = process.argv.slice(1);
const log = { debug() {}, info() {}, warn() {}, error() {} };
await new IngestRun(JSON.parse(settings), log).ingest(path, { maxSeconds: 60 }, ${JSON.stringify(NO_PROCESSING)});
`;

describe('an ingest', () => {
  it('starts another process where the last has ended, or could not start', async () => {
    const ingest = await createIngest({ scratchDirectory, log });
    const { execPath } = process;
    process.execPath = join(directory, 'nowhere');
    try {
      const message = expect.stringContaining('could not be started');
      await expect(ingest(path, LIMITS, NO_PROCESSING)).rejects.toMatchObject({ code: 'ingest_busy', message });
    } finally {
      process.execPath = execPath;
    }
    for (let again = 0; again < 2; again++) {
      expect(await ingest(path, LIMITS, NO_PROCESSING)).toMatchObject({ frameCount: 50, type: 'audio/wav' });
      await ingest.close();
    }
    await ingest.close();
  });

  it('keeps what is no refusal an error', async () => {
    const ingest = await createIngest({ scratchDirectory, log });
    await expect(ingest(join(directory, 'nowhere'), LIMITS, NO_PROCESSING)).rejects.toThrow('ENOENT');
    await ingest.close();
  });
});
