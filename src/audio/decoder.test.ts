import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDecode } from './decoder.ts';
import type { DecoderProgram } from './decoder-process.ts';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let directory: string;
let scratchDirectory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-decoder-'));
  scratchDirectory = await mkdtemp(join(directory, 'scratch-'));
  await writeFile(join(directory, 'file'), 'octets');
});
afterEach(async () => {
  expect(await readdir(scratchDirectory)).toEqual([]);
  await rm(directory, { recursive: true });
});

const program = (command: string, ...prefix: string[]): DecoderProgram => ({
  description: 'a program',
  command,
  prefix,
  addressSpaceKiB: 1024 * 1024,
});

const decodeWith = (decoder: DecoderProgram) =>
  createDecode({ program: decoder, scratchDirectory, log: SILENT })(join(directory, 'file'), 'wav', 1);

describe('decode', () => {
  it('gives the samples that the program writes, read from its descriptor 0', async () => {
    const samples = await decodeWith(program('/bin/sh', '-c', 'cat'));
    expect([...samples].map((sample) => sample.toString(16))).toEqual(['636f', '6574', '7374']);
  });

  it('blames the file for a failure of the program', async () => {
    await expect(decodeWith(program('/bin/sh', '-c', 'exit 1'))).rejects.toMatchObject({ code: 'not_audio' });
    await expect(decodeWith(program('/bin/sh', '-c', 'kill -SEGV $$'))).rejects.toMatchObject({ code: 'not_audio' });
  });

  it('does not blame the file for a program that was killed or cannot run', async () => {
    const killed = decodeWith(program('/bin/sh', '-c', 'kill -KILL $$'));
    await expect(killed).rejects.toMatchObject({
      code: 'ingest_busy',
      message: 'Decoding was interrupted; try again.',
    });
    const missing = decodeWith(program(join(directory, 'no-such-program')));
    await expect(missing).rejects.toMatchObject({ code: 'ingest_busy' });
  });

  it('refuses no samples as no audio, and too many as too long', async () => {
    await expect(decodeWith(program('/bin/sh', '-c', ':'))).rejects.toMatchObject({ code: 'not_audio' });
    const endless = decodeWith(program('/bin/sh', '-c', 'while :; do echo 0123456789; done'));
    await expect(endless).rejects.toMatchObject({ code: 'upload_too_long' });
  });

  it('never tells what the program said', async () => {
    const complaining = decodeWith(program('/bin/sh', '-c', 'echo /secret/path >&2; exit 1'));
    await expect(complaining).rejects.not.toThrow('secret');
  });
});
