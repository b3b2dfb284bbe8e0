import { expect, it } from 'vitest';
import { readEditSeconds } from './mp4-length.ts';
import { octetsIn } from './octets.ts';

const box = (name: string, ...parts: Buffer[]): Buffer => {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + parts.reduce((sum, part) => sum + part.length, 0));
  header.write(name, 4, 'latin1');
  return Buffer.concat([header, ...parts]);
};

const mvhd = (version: 0 | 1, timescale: number): Buffer => {
  const content = Buffer.alloc(112);
  content[0] = version;
  content.writeUInt32BE(timescale, version === 1 ? 20 : 12);
  return box('mvhd', content);
};

const elst = (version: 0 | 1, ...durations: number[]): Buffer => {
  const content = Buffer.alloc(8 + durations.length * 20);
  content[0] = version;
  content.writeUInt32BE(durations.length, 4);
  for (const duration of durations.slice(0, 1)) {
    if (version === 1) content.writeBigUInt64BE(BigInt(duration), 8);
    else content.writeUInt32BE(duration, 8);
  }
  return box('elst', content);
};

const secondsOf = (...boxes: Buffer[]): Promise<number | null> =>
  readEditSeconds(octetsIn(Buffer.concat([box('ftyp', Buffer.from('M4A ')), ...boxes])));

it('reads how long the one edit of a track is, in both versions, wherever the movie box stands', async () => {
  expect(await secondsOf(box('moov', mvhd(0, 1000), elst(0, 3990)))).toBe(3.99);
  expect(await secondsOf(box('mdat', Buffer.alloc(500)), box('moov', mvhd(1, 600), elst(1, 1200)))).toBe(2);
});

it('tells nothing of a file without, with several edits, or broken', async () => {
  expect(await secondsOf(box('mdat', Buffer.alloc(500)))).toBeNull();
  expect(await secondsOf(box('moov', mvhd(0, 1000)))).toBeNull();
  expect(await secondsOf(box('moov', elst(0, 3990)))).toBeNull();
  expect(await secondsOf(box('moov', mvhd(0, 1000), elst(0, 1, 2)))).toBeNull();
  expect(await secondsOf(box('moov', mvhd(0, 0), elst(0, 1)))).toBeNull();
  expect(await secondsOf(box('moov', mvhd(0, 1000), box('elst')))).toBeNull();
  expect(await secondsOf(Buffer.alloc(8), box('moov', mvhd(0, 1000), elst(0, 3990)))).toBeNull();
});
