import { expect, it } from 'vitest';
import type { Container } from './container.ts';
import { findMissingOctets } from './cut-short.ts';
import { octetsIn } from './octets.ts';

const missing = (octets: Uint8Array, demuxer: Container['demuxer'], start = 0) =>
  findMissingOctets(octetsIn(octets), { demuxer, type: '', start });

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

/** A box of MP4 that says it has `bytes` octets behind its header, and has ten. */
const box = (name: string, bytes = 10): Buffer => {
  const octets = Buffer.alloc(18);
  octets.writeUInt32BE(bytes + 8);
  octets.write(name, 4);
  return octets;
};

it('finds an MP4 cut short in its movie or its data, and takes rubbish behind them', async () => {
  const whole = Buffer.concat([box('ftyp'), box('moov'), box('mdat')]);
  expect(await missing(whole, 'mov')).toBeNull();
  expect(await missing(Buffer.concat([whole, Buffer.alloc(128, 'TAG')]), 'mov')).toBeNull();
  expect(await missing(whole.subarray(0, -1), 'mov')).toContain('ends at octet 54, but only 53');
  expect(await missing(Buffer.concat([box('ftyp'), box('mdat'), box('moov', 11)]), 'mov')).toContain('octet 55');
  expect(await missing(Buffer.concat([box('ftyp'), box('mdat', -8)]), 'mov')).toBeNull();
});
