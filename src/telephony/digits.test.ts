import { expect, test } from 'vitest';
import { talk } from '../../test/support/talking.ts';
import type { ResponseParts } from '../sip/response.ts';
import { PressedDigits, placeOf } from './pressed-digits.ts';

const info = (contentType: string, body: string): ResponseParts => ({
  contentType,
  body: new TextEncoder().encode(body),
});

test('keys by INFO are on the record once each, with the place in the clip; the peer gets 200 whatever it says', async () => {
  const { bench, placed, call } = await talk({}, 500);
  const said: (number | null)[] = [];
  for (const [type, body] of [
    ['application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n'],
    ['application/dtmf', '#'],
    ['application/media_control+xml', '<x/>'],
  ] as const) {
    const answer = call.ask('INFO', info(type, body));
    await bench.clock.advance(1000);
    said.push((await answer)?.status ?? null);
  }
  expect(said).toEqual([200, 200, 200]);
  const result = await bench.finish(placed);
  expect(result.digits.map(({ digit, mediaId }) => [digit, mediaId])).toEqual([
    ['5', '0'],
    ['#', '0'],
  ]);
  const [first, second] = result.digits.map(({ ms }) => ms);
  expect((second ?? 0) - (first ?? 0)).toBe(1000);
  expect(placed.progress.filter(({ kind }) => kind === 'digit')).toEqual([
    { kind: 'digit', digit: '5' },
    { kind: 'digit', digit: '#' },
  ]);
  bench.expectRest();
});

test('where the callee hung up is on the record', async () => {
  const { bench, placed, call } = await talk({}, 500);
  await bench.clock.advance(2000);
  void call.request('BYE');
  const result = await bench.finish(placed);
  expect(result).toMatchObject({ outcome: 'hung_up', hungUpAt: { mediaId: '0' } });
  expect(result.hungUpAt?.ms).toBeGreaterThanOrEqual(2000);
});

test('a peer that tells each key both ways is heard the first way; nobody fills the record', () => {
  const told: string[] = [];
  const digits = new PressedDigits((digit) => told.push(digit));
  digits.press('events', '1', { mediaId: '7', ms: 20 });
  digits.press('info', '1', null);
  for (let i = 0; i < 500; i++) digits.press('events', '2', null);
  expect(digits.all).toHaveLength(128);
  expect(digits.all.slice(0, 2)).toEqual([
    { digit: '1', mediaId: '7', ms: 20 },
    { digit: '2', mediaId: null, ms: 0 },
  ]);
  expect(told).toHaveLength(128);
});

test('a key pressed after the last word is at the end of the last clip', () => {
  const clip = { key: 'a', mediaId: '7', frameCount: 1 } as Parameters<typeof placeOf>[0][number];
  expect(placeOf([clip], { clip: 1, placeMs: 0 })).toEqual({ mediaId: '7', ms: 0 });
  expect(placeOf([clip], null)).toBeNull();
});
