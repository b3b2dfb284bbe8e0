import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DecoderProgram, type DecoderRun, runDecoder } from './decoder-process.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-process-'));
});
afterEach(() => rm(directory, { recursive: true }));

const shell = (script: string): DecoderProgram => ({
  description: 'a script',
  command: '/bin/sh',
  prefix: ['-c', script, 'script'],
  addressSpaceKiB: 1024 * 1024,
});

const run = (script: string, limits: Partial<DecoderRun> = {}) =>
  runDecoder(shell(script), {
    arguments: [],
    directory,
    input: 'ignore',
    maxOutputBytes: 1000,
    timeLimitMs: 20_000,
    ...limits,
  });

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH: no such process, which is what is asked for
  }
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
    expect(isRunning(Number(result.complaint))).toBe(false);
  });

  it('ends a process that hangs', async () => {
    const result = await run('echo $$ >&2; exec tail -f /dev/null', { timeLimitMs: 200 });
    expect(result).toMatchObject({ end: 'timed_out', signal: 'SIGKILL' });
    expect(isRunning(Number(result.complaint))).toBe(false);
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
