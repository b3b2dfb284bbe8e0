import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wavOf } from '../../test/support/wav-formats.ts';
import type { Container } from './container.ts';
import { findMissingOctets } from './cut-short.ts';
import { findHeaderFault } from './header-fault.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-cut-'));
});
afterAll(() => rm(directory, { recursive: true }));

type Check = typeof findMissingOctets;

const checked = async (check: Check, octets: Uint8Array, demuxer: Container['demuxer'], start = 0) => {
  const path = join(directory, 'file');
  await writeFile(path, octets);
  const file = await open(path);
  try {
    return await check(file, { demuxer, type: '', start });
  } finally {
    await file.close();
  }
};
const missing = (octets: Uint8Array, demuxer: Container['demuxer'], start = 0) =>
  checked(findMissingOctets, octets, demuxer, start);

/** A page of Ogg with one segment after another of these lengths. */
const page = (...segments: number[]): Buffer => {
  const head = Buffer.alloc(27);
  head.write('OggS');
  head[26] = segments.length;
  return Buffer.concat([head, Buffer.from(segments), Buffer.alloc(segments.reduce((a, b) => a + b, 0))]);
};

/** A Matroska file whose segment says it has `size` octets, in an EBML number of eight octets; it has ten. */
const matroska = (size: bigint): Buffer => {
  const segment = Buffer.alloc(12 + 10);
  segment.write('18538067', 'hex');
  segment.writeBigUInt64BE((1n << 56n) | size, 4);
  return Buffer.concat([Buffer.from('1a45dfa383', 'hex'), Buffer.alloc(3), segment]);
};

/** The first frame of an MP3 that speaks of `bytes` octets; 200 are there. */
const mp3 = (bytes: number, tag = 'Info', flags = 3): Buffer => {
  const file = Buffer.alloc(200);
  file.write('fffb9064', 'hex');
  file.write(tag, 36);
  file.writeUInt32BE(flags, 40);
  file.writeUInt32BE(bytes, (flags & 1) === 1 ? 48 : 44);
  return file;
};

it('finds an Ogg file cut short in its last page, and takes rubbish behind it', async () => {
  const whole = Buffer.concat([page(255, 10), page(100)]);
  expect(await missing(whole, 'ogg')).toBeNull();
  expect(await missing(Buffer.concat([whole, Buffer.alloc(50)]), 'ogg')).toBeNull();
  expect(await missing(whole.subarray(0, -1), 'ogg')).toBe(
    `its last part ends at octet ${whole.length}, but only ${whole.length - 1} are there`,
  );
  for (const bytes of [page(255, 10).length + 5, page(255, 10).length + 27]) {
    expect(await missing(whole.subarray(0, bytes), 'ogg')).toContain(`only ${bytes} are there`);
  }
});

it('finds a Matroska file cut short, unless it does not say how long it is', async () => {
  expect(await missing(matroska(10n), 'matroska')).toBeNull();
  expect(await missing(matroska(11n), 'matroska')).toContain('ends at octet 31, but only 30');
  expect(await missing(matroska((1n << 56n) - 1n), 'matroska')).toBeNull();
});

it('finds an MP3 cut short where its encoder told its length', async () => {
  for (const tag of ['Info', 'Xing']) {
    expect(await missing(mp3(200, tag), 'mp3')).toBeNull();
    expect(await missing(mp3(201, tag), 'mp3')).toContain('ends at octet 201, but only 200');
    expect(await missing(mp3(201, tag, 2), 'mp3')).toContain('ends at octet 201');
    expect(await missing(mp3(201, tag, 1), 'mp3')).toBeNull();
  }
  expect(await missing(mp3(201, 'None'), 'mp3')).toBeNull();
  const tagged = Buffer.concat([Buffer.alloc(100), mp3(201)]);
  expect(await missing(tagged, 'mp3', 100)).toContain('ends at octet 301, but only 300');
});

it.each([
  ['wav', 1, false],
  ['wav', 999, false],
  ['wav', 1000, true],
  ['wav', 384_000, true],
  ['wav', 384_001, false],
])('judges the sample rate of a %s: %d Hz', async (demuxer, rateHz, taken) => {
  const octets = wavOf(new Int16Array(10), { format: 'pcm16', rateHz, channels: 1 });
  const fault = await checked(findHeaderFault, octets, demuxer as 'wav');
  expect(fault).toBe(
    taken ? null : `The file says it has ${rateHz} samples a second, which is not between 1000 and 384000`,
  );
});

it('judges the sample rate of AIFF, AU and FLAC', async () => {
  const aiff = (exponent: number, mantissa: number) => {
    const file = Buffer.alloc(60);
    file.write('FORM\0\0\0\0AIFFCOMM\0\0\0\x12', 'latin1');
    file.writeUInt16BE(1, 20);
    file.writeUInt16BE(16_383 + exponent, 28);
    file.writeUInt32BE(mantissa, 30);
    return file;
  };
  expect(await checked(findHeaderFault, aiff(15, 0xac440000), 'aiff')).toBeNull();
  expect(await checked(findHeaderFault, aiff(0, 0x80000000), 'aiff')).toContain('it has 1 samples');
  const au = Buffer.alloc(24);
  au.writeUInt32BE(7, 16);
  au.writeUInt32BE(1, 20);
  expect(await checked(findHeaderFault, au, 'au')).toContain('it has 7 samples');
  const flac = Buffer.alloc(42);
  flac.writeUIntBE(1 << 4, 18, 3);
  expect(await checked(findHeaderFault, flac, 'flac')).toContain('it has 1 samples');
  expect(await checked(findHeaderFault, flac, 'ogg')).toBeNull();
});
