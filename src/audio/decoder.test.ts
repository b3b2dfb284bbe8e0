import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decode } from './decoder.ts';
import type { DecoderProgram } from './decoder-process.ts';
import { createRunFfmpeg } from './ffmpeg-run.ts';
import { NO_ISOLATION } from './isolation.ts';
import { inWorkFolder } from './work-folder.ts';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const ORDER = { demuxer: 'wav', maxSeconds: 1, telephoneBand: false } as const;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-decoder-'));
  await writeFile(join(directory, 'file'), Buffer.from(Float32Array.of(0.5, -0.25).buffer));
});
afterEach(() => rm(directory, { recursive: true }));

const program = (command: string, ...prefix: string[]): DecoderProgram => ({
  description: 'a program',
  command,
  prefix,
  dataKiB: 64 * 1024,
  atOnce: 1,
  isolation: NO_ISOLATION,
});
const shell = (script: string): DecoderProgram => program('/bin/sh', '-c', script);

const decodeWith = (decoder: DecoderProgram) =>
  inWorkFolder(directory, async (folder) => {
    const decoded = await decode(createRunFfmpeg(decoder, SILENT, 20_000), join(directory, 'file'), ORDER, folder);
    return { ...decoded, wide: await readFile(decoded.widePath) };
  });

describe('decode', () => {
  it('gives the samples that the program writes, read from its descriptor 0', async () => {
    const { narrow, wide, widePeak } = await decodeWith(
      shell('cat; printf "\\0\\0" >&3; printf "\\100\\277\\0\\0" >&3'),
    );
    expect([...narrow]).toEqual([0.5, -0.25]);
    expect([...wide]).toEqual([0, 0, 64, 191]);
    expect(widePeak).toBe(0.75);
  });

  it('blames the file for a failure of the program', async () => {
    await expect(decodeWith(shell('exit 1'))).rejects.toMatchObject({ code: 'not_audio' });
    await expect(decodeWith(shell('kill -SEGV $$'))).rejects.toMatchObject({ code: 'not_audio' });
  });

  it('does not blame the file for a program that was killed or cannot run', async () => {
    const killed = decodeWith(shell('kill -KILL $$'));
    await expect(killed).rejects.toMatchObject({
      code: 'ingest_busy',
      message: 'Decoding was interrupted; try again.',
    });
    const missing = decodeWith(program(join(directory, 'no-such-program')));
    await expect(missing).rejects.toMatchObject({ code: 'ingest_busy' });
  });

  it('refuses no samples as no audio, and too many as too long', async () => {
    await expect(decodeWith(shell(':'))).rejects.toMatchObject({ code: 'not_audio' });
    const endless = decodeWith(shell('while :; do echo 0123456789; done'));
    await expect(endless).rejects.toMatchObject({ code: 'upload_too_long' });
  });

  it('never tells what the program said', async () => {
    const complaining = decodeWith(shell('echo /secret/path >&2; exit 1'));
    await expect(complaining).rejects.not.toThrow('secret');
  });
});
