import { expect, test } from 'vitest';
import { compareAudio } from './compare.ts';
import { pauseSentence, pausesIn, withoutPauses } from './pauses.ts';

const SAMPLES = Int16Array.from({ length: 800 }, (_, index) => index + 1);
const SENT = [{ label: 'greeting', samples: SAMPLES }];

/** 20 ms of silence after 40 ms, and 40 ms after 80 ms, counted in what was heard. */
const PAUSED = Int16Array.from([
  ...SAMPLES.subarray(0, 320),
  ...new Int16Array(160),
  ...SAMPLES.subarray(320, 480),
  ...new Int16Array(320),
  ...SAMPLES.subarray(480),
]);
const PAUSES = [
  { atSample: 320, samples: 160 },
  { atSample: 640, samples: 320 },
];

test('pauses are taken out where they are', () => {
  expect(withoutPauses(PAUSED, PAUSES)).toEqual(SAMPLES);
  expect(withoutPauses(SAMPLES, [])).toEqual(SAMPLES);
});

test('a recording that differs by pauses alone says so, and how long they were', () => {
  expect(pauseSentence(SENT, PAUSED, PAUSES, compareAudio(SENT, PAUSED))).toBe(
    'this machine was too busy to send in time: the server paused 2 times, 60 ms in all; nothing else differs',
  );
});

test('a difference beside the pauses is not put down to them', () => {
  const heard = PAUSED.map((sample, index) => (index === 700 ? 0 : index === 0 ? 99 : sample));
  expect(pauseSentence(SENT, heard, PAUSES, compareAudio(SENT, heard))).toMatch(/and more differs$/);
});

test('without pauses there is nothing to say', () => {
  expect(pauseSentence(SENT, SAMPLES, [], compareAudio(SENT, SAMPLES))).toBeNull();
});

test("only pauses are read from the phone's event", () => {
  expect(pausesIn([{ atSample: 320, samples: 160 }, { atSample: '1' }, null, 7])).toEqual([
    { atSample: 320, samples: 160 },
  ]);
  expect(pausesIn(undefined)).toEqual([]);
});
