import { expect, it } from 'vitest';
import { createUploadPlaces } from './upload-places.ts';

it('takes so many uploads at once, refuses one more, and takes it when one has ended, well or not', async () => {
  const inPlace = createUploadPlaces(2);
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<string>();
  const running = [inPlace(() => first.promise), inPlace(() => second.promise)];
  await expect(inPlace(async () => 'third')).rejects.toMatchObject({ code: 'ingest_busy' });
  second.reject(new Error('cut'));
  await expect(running[1]).rejects.toThrow('cut');
  expect(await inPlace(async () => 'third')).toBe('third');
  first.resolve('first');
  expect(await running[0]).toBe('first');
});
