import { expect, it } from 'vitest';
import { wavOf } from '../../test/support/wav-formats.ts';
import { HEAD_BYTES } from '../domain/media.ts';
import { judgeHead } from './judge-head.ts';

const HEADER_BYTES = 44;
const SECOND_BYTES = 8000 * 2;
const LIMITS = { maxSeconds: 10 };

/** The head of a WAV of so many octets of samples, with chunks of rubbish before its format or behind it. */
const wavHead = (dataBytes: number, { before = 0, behind = 0 } = {}): Buffer => {
  const file = Buffer.from(wavOf(new Int16Array(10), { format: 'pcm16', rateHz: 8000, channels: 1 }));
  file.writeUInt32LE(dataBytes, 40);
  const junk = (bytes: number): Buffer => {
    const chunk = Buffer.alloc(bytes === 0 ? 0 : 8 + bytes);
    if (bytes > 0) chunk.write('junk');
    if (bytes > 0) chunk.writeUInt32LE(bytes, 4);
    return chunk;
  };
  const parts = [file.subarray(0, 12), junk(before), file.subarray(12, 36), junk(behind), file.subarray(36)];
  return Buffer.concat(parts, HEAD_BYTES);
};

const id3 = (bytes: number): Buffer => {
  const size = [21, 14, 7, 0].map((shift) => (bytes >> shift) & 0x7f);
  return Buffer.concat([Buffer.from('ID3\x04\0\0'), Buffer.from(size)], 10 + bytes);
};

it('tells where more seconds than allowed begin, if the number of samples is not known or too great', async () => {
  const most = HEADER_BYTES + 11 * SECOND_BYTES;
  for (const dataBytes of [0, 0xffffffff, 12 * SECOND_BYTES]) {
    expect(await judgeHead(wavHead(dataBytes), LIMITS), `${dataBytes}`).toBe(most);
  }
  expect(await judgeHead(wavHead(10 * SECOND_BYTES), LIMITS)).toBe(Infinity);
});

it('leaves open what the head does not tell', async () => {
  const beyond = [
    wavHead(0, { before: HEAD_BYTES }),
    wavHead(0, { before: HEAD_BYTES - 32 }), // its format begins within
    wavHead(0, { behind: HEAD_BYTES }),
    Buffer.concat([id3(HEAD_BYTES), wavHead(0)], HEAD_BYTES),
    Buffer.concat([id3(HEAD_BYTES / 2), Buffer.alloc(HEAD_BYTES)], HEAD_BYTES),
  ];
  for (const head of beyond) expect(await judgeHead(head, LIMITS)).toBe(Infinity);
});

it('refuses what the head shows to be no audio, or not to be had', async () => {
  const text = Buffer.alloc(HEAD_BYTES, 'no audio ');
  await expect(judgeHead(text, LIMITS)).rejects.toMatchObject({ code: 'not_audio' });
  const tagged = Buffer.concat([id3(1000), text]);
  await expect(judgeHead(tagged, LIMITS)).rejects.toMatchObject({ code: 'not_audio' });
  const still = wavHead(0, { behind: HEAD_BYTES });
  still.writeUInt32LE(1, 24);
  await expect(judgeHead(still, LIMITS)).rejects.toMatchObject({ message: expect.stringContaining('1 samples') });
});
