import { expect, it } from 'vitest';
import { atMinimumRate } from './minimum-rate.ts';

/** Chunks of `bytes`, one every `everyMs`; how many come through before it throws, or all. */
const passed = async (bytes: number, everyMs: number, count: number): Promise<number | string> => {
  let now = 0;
  let through = 0;
  async function* octets(): AsyncGenerator<Uint8Array> {
    for (let n = 0; n < count; n += 1) {
      now += everyMs;
      yield new Uint8Array(bytes);
    }
  }
  try {
    for await (const _ of atMinimumRate(octets(), () => now)) through += 1;
    return through;
  } catch (error) {
    return `${(error as { code: string }).code} after ${through}`;
  }
};

it('cuts off who sends an octet now and then, after a minute', async () => {
  expect(await passed(1, 1000, 1000)).toBe('upload_cut after 60');
  expect(await passed(511, 1000, 1000)).toBe('upload_cut after 60');
});

it('lets through who is slow, and who is small', async () => {
  expect(await passed(512, 1000, 1800)).toBe(1800);
  expect(await passed(40_000, 59_000, 30)).toBe(30);
  expect(await passed(1, 1000, 60)).toBe(60);
});
