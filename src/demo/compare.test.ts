import { expect, test } from 'vitest';
import { type Comparison, compareAudio, comparisonLines, type SentPart, whatDiffers } from './compare.ts';

const FRAME = 160;

/** Speech-like enough for what is compared: no two stretches are alike. */
const noise = (length: number, seed: number): Int16Array => {
  let state = seed;
  return Int16Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) - 0x8000;
  });
};

const GREETING = noise(8 * FRAME, 1);
const ONE = noise(10 * FRAME, 2);
const TWO = noise(6 * FRAME, 3);
const SENT: readonly SentPart[] = [
  { label: 'greeting', samples: GREETING },
  { label: 'clip 1 of 2', samples: ONE },
  { label: 'clip 2 of 2', samples: TWO },
];

const joined = (...parts: Int16Array[]): Int16Array => Int16Array.from(parts.flatMap((part) => [...part]));

const told = (comparison: Comparison): string => comparisonLines(comparison).join('\n');

test('the same audio is equal, every sample of it counted', () => {
  const comparison = compareAudio(SENT, joined(GREETING, ONE, TWO));
  expect(comparison.equal).toBe(true);
  expect(comparison.parts.map((part) => part.samples)).toEqual([1280, 1600, 960]);
  expect(comparisonLines(comparison)).toEqual([
    '  greeting     1280 samples, 0 differ, first and last 20 ms included',
    '  clip 1 of 2  1600 samples, 0 differ, first and last 20 ms included',
    '  clip 2 of 2  960 samples, 0 differ, first and last 20 ms included',
    '  whole call   3840 samples heard, as many as were sent',
  ]);
});

test('one flipped sample is found, and where it is', () => {
  const heard = joined(GREETING, ONE, TWO);
  const at = GREETING.length + 800;
  heard[at] = (heard[at] ?? 0) ^ 1;
  const comparison = compareAudio(SENT, heard);
  expect(comparison.equal).toBe(false);
  expect(whatDiffers(comparison)).toBe('clip 1 of 2');
  expect(comparison.parts[1]).toMatchObject({
    differing: 1,
    firstDifference: 800,
    firstFrameEqual: true,
    lastFrameEqual: true,
  });
  expect(told(comparison)).toContain(
    'clip 1 of 2  1600 samples, 1 DIFFER, from sample 800 (0.1 s), first and last 20 ms equal',
  );
});

test.each([
  ['first', 0, { firstFrameEqual: false, lastFrameEqual: true }],
  ['first', FRAME - 1, { firstFrameEqual: false, lastFrameEqual: true }],
  ['last', ONE.length - FRAME, { firstFrameEqual: true, lastFrameEqual: false }],
  ['last', ONE.length - 1, { firstFrameEqual: true, lastFrameEqual: false }],
])('a sample of the %s 20 ms (%i) is told', (which, index, expected) => {
  const heard = joined(GREETING, ONE, TWO);
  const at = GREETING.length + index;
  heard[at] = (heard[at] ?? 0) ^ 1;
  const comparison = compareAudio(SENT, heard);
  expect(comparison.parts[1]).toMatchObject(expected);
  expect(told(comparison)).toContain(`${which} 20 ms differ`);
});

test('a missing first frame is told: the rest came 20 ms early', () => {
  const comparison = compareAudio(SENT, joined(GREETING, ONE, TWO).slice(FRAME));
  expect(comparison.equal).toBe(false);
  expect(comparison.parts[0]?.firstFrameEqual).toBe(false);
  expect(comparison.parts.map((part) => part.shiftSamples)).toEqual([null, -FRAME, -FRAME]);
  expect(told(comparison)).toContain('heard whole, but 20 ms too early');
  expect(told(comparison)).toContain('3680 samples heard, 3840 sent: 20 ms MISSING');
});

test('a missing last frame is told', () => {
  const comparison = compareAudio(SENT, joined(GREETING, ONE, TWO).slice(0, -FRAME));
  expect(whatDiffers(comparison)).toBe('clip 2 of 2');
  expect(comparison.parts[2]).toMatchObject({ differing: FRAME, lastFrameEqual: false, firstFrameEqual: true });
});

test('a swapped order is told', () => {
  const comparison = compareAudio(SENT, joined(GREETING, TWO, ONE));
  expect(whatDiffers(comparison)).toBe('clip 1 of 2, clip 2 of 2');
  expect(comparison.parts.map((part) => part.shiftSamples)).toEqual([0, TWO.length, -ONE.length]);
  expect(told(comparison)).toContain('whole call   3840 samples heard, as many as were sent');
});

test('of a clip that repeats, the nearest place is told', () => {
  const sent = [
    { label: 'clip 1 of 2', samples: ONE },
    { label: 'clip 2 of 2', samples: ONE },
  ];
  const comparison = compareAudio(sent, joined(ONE, ONE).slice(FRAME));
  expect(comparison.parts[1]?.shiftSamples).toBe(-FRAME);
});

test('audio after the end is told, though every part is right', () => {
  const comparison = compareAudio(SENT, joined(GREETING, ONE, TWO, new Int16Array(FRAME)));
  expect(comparison.equal).toBe(false);
  expect(whatDiffers(comparison)).toBe('the length of the call');
  expect(told(comparison)).toContain('20 ms TOO MUCH');
});

test('silence is not mistaken for speech that was not heard', () => {
  const comparison = compareAudio(SENT, new Int16Array(GREETING.length + ONE.length + TWO.length));
  expect(comparison.equal).toBe(false);
  expect(comparison.parts.every((part) => part.shiftSamples === null)).toBe(true);
});

test('an empty recording differs', () => {
  const comparison = compareAudio(SENT, new Int16Array(0));
  expect(comparison.parts.map((part) => part.differing)).toEqual([1280, 1600, 960]);
  expect(comparison.equal).toBe(false);
});

test('a part is found at whole samples only', () => {
  const part = { label: 'greeting', samples: Int16Array.from([0x0101, 0x0101, 0x0102]) };
  const comparison = compareAudio([part], Int16Array.from([0x0201, 0x0101, 0x0101, 0x0102]));
  expect(comparison.parts[0]?.shiftSamples).toBe(1);
});
