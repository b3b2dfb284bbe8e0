import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectOutput, type DecoderProgram, type DecoderRun, runDecoder } from './decoder-process.ts';
import { NO_ISOLATION } from './isolation.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-process-'));
});
afterEach(() => rm(directory, { recursive: true }));

const shell = (script: string): DecoderProgram => ({
  description: 'a script',
  command: '/bin/sh',
  prefix: ['-c', script, 'script'],
  dataKiB: 64 * 1024,
  atOnce: 1,
  isolation: NO_ISOLATION,
});

const run = async (script: string, limits: Partial<DecoderRun> = {}) => {
  const [first, second] = [collectOutput(1000), collectOutput(1000)];
  const result = await runDecoder(shell(script), {
    arguments: [],
    directory,
    input: 'ignore',
    outputs: [first.output, second.output],
    timeLimitMs: 20_000,
    ...limits,
  });
  return { ...result, output: first.octets(), second: second.octets() };
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH: no such process, which is what is asked for
  }
};

/** It was killed; whoever takes in orphans may need a moment to note it. */
const untilGone = async (pid: number): Promise<void> => {
  while (isRunning(pid)) await new Promise((resolve) => setImmediate(resolve));
};

describe('runDecoder', () => {
  it('gives output, exit code and complaint', async () => {
    const result = await run('printf "%s" "$1"; echo sorry >&2; exit 3', { arguments: ['samples'] });
    expect(result).toMatchObject({ end: 'exited', exitCode: 3, signal: null, complaint: 'sorry\n' });
    expect(result.output.toString()).toBe('samples');
  });

  it('tells the process nothing of the environment and puts it into the empty folder', async () => {
    const { output } = await run('env; ls -A; pwd -P');
    const lines = output.toString().trim().split('\n');
    expect(lines.filter((line) => !/^(PWD|SHLVL|_|OLDPWD)=/.test(line))).toEqual([directory]);
  });

  it('ends a process that writes without end', async () => {
    const result = await run('echo $$ >&2; while :; do echo too much; done');
    expect(result).toMatchObject({ end: 'too_much_output', signal: 'SIGKILL' });
    await untilGone(Number(result.complaint));
  });

  it('hands on what several descriptors write, each with its own bound', async () => {
    const { output, second } = await run('printf one; printf two >&3');
    expect([output.toString(), second.toString()]).toEqual(['one', 'two']);
    expect(await run('while :; do echo too much >&3; done')).toMatchObject({ end: 'too_much_output' });
  });

  it('ends the process when what it writes finds no room, and tells why', async () => {
    let pid = 0;
    const write = async (part: Buffer) => {
      pid = Number.parseInt(`${part}`, 10);
      throw new Error('full');
    };
    const full = { maxBytes: 1e9, write };
    await expect(run('echo $$; while :; do echo more; done', { outputs: [full] })).rejects.toThrow('full');
    await untilGone(pid);
  });

  it('ends a process that hangs', async () => {
    const result = await run('echo $$ >&2; exec tail -f /dev/null', { timeLimitMs: 200 });
    expect(result).toMatchObject({ end: 'timed_out', signal: 'SIGKILL' });
    await untilGone(Number(result.complaint));
  });

  it('lets no octet be written to a file', async () => {
    const result = await run('echo octets > file');
    expect(result.signal ?? result.exitCode).not.toBe(0);
    expect(await readdir(directory)).toEqual(['file']);
    expect(await readFile(join(directory, 'file'), 'utf8')).toBe('');
  });

  it('keeps only the first of what a process has to say', async () => {
    const result = await run('i=0; while [ $i -lt 1000 ]; do echo 0123456789 >&2; i=$((i + 1)); done');
    expect(result.exitCode).toBe(0);
    expect(result.complaint).toHaveLength(4096);
  });

  it('says so when it cannot start', async () => {
    const result = await run('exit 0', { directory: join(directory, 'nowhere') });
    expect(result).toMatchObject({ end: 'not_started', exitCode: null });
  });
});
