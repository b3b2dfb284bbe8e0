import { expect, test } from 'vitest';
import type { Attempt, Blast, Call } from './api-shapes.ts';
import { bar, clipLabel, drawBlast, headline, stepsOf } from './progress.ts';

const AT = '2026-11-21T02:36:09Z';

const attempt = (part: Partial<Attempt> = {}): Attempt => ({
  number: 1,
  trunkId: null,
  sipCallId: 'c1',
  dialledAt: AT,
  ringingAt: null,
  answeredAt: null,
  endedAt: null,
  sipStatus: null,
  sipReason: null,
  codec: null,
  clips: [],
  ...part,
});

const call = (part: Partial<Call> = {}): Call => ({
  id: '1',
  destination: 'sip:test@127.0.0.1:5070',
  state: 'waiting',
  outcome: null,
  attempts: [],
  ...part,
});

const blast = (...calls: Call[]): Blast => ({
  id: '1',
  applicationId: '1',
  networkId: '1',
  mediaIds: ['101', '102'],
  greetingId: null,
  acceptedAt: AT,
  state: 'active',
  calls,
});

const clips = (...framesSent: number[]) =>
  framesSent.map((sent, index) => ({ mediaId: String(100 + index), framesSent: sent, framesTotal: 100 }));

const PLAYING = call({
  state: 'playing',
  attempts: [attempt({ ringingAt: AT, answeredAt: AT, codec: 'PCMU', clips: clips(100, 50, 0) })],
});

test('a bar is full only when all is done', () => {
  expect(bar(0, 10, 10)).toBe('[..........]');
  expect(bar(5, 10, 10)).toBe('[#####.....]');
  expect(bar(99, 100, 10)).toBe('[#########.]');
  expect(bar(100, 100, 10)).toBe('[##########]');
  expect(bar(7, 0, 4)).toBe('[....]');
  expect(bar(200, 100, 4)).toBe('[####]');
});

test('the greeting comes first, clips are counted without it', () => {
  expect([0, 1, 2].map((index) => clipLabel(index, 3))).toEqual(['greeting', 'clip 1 of 2', 'clip 2 of 2']);
});

test('a call is drawn with a bar for every clip', () => {
  expect(drawBlast(blast(PLAYING))).toEqual([
    '  playing',
    '  greeting     [########################]  2.0 of 2.0 s',
    '  clip 1 of 2  [############............]  1.0 of 2.0 s',
    '  clip 2 of 2  [........................]  0.0 of 2.0 s',
  ]);
});

test('several calls are drawn a line each, the current clip beside', () => {
  expect(drawBlast(blast(PLAYING, call()))).toEqual([
    '  sip:test@127.0.0.1:5070: playing  clip 1 of 2  [############............]  1.0 of 2.0 s',
    '  sip:test@127.0.0.1:5070: waiting to be dialled',
  ]);
});

test('no more than ten calls are drawn', () => {
  const lines = drawBlast(blast(...Array.from({ length: 13 }, () => call())));
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('  and 3 more');
});

test('the end of a call tells what SIP answered', () => {
  const busy = call({
    state: 'finished',
    outcome: 'busy',
    attempts: [attempt({ sipStatus: 486, sipReason: 'Busy\x1b Here' })],
  });
  expect(headline(busy)).toBe('busy (486 Busy\x1b Here)');
  expect(drawBlast(blast(busy))).toEqual(['  busy (486 Busy\\u001b Here)']);
  expect(headline(call({ state: 'finished', outcome: 'completed' }))).toBe('done, all clips played');
});

test('steps tell what has happened, in order, and only ever grow', () => {
  const stages = [
    blast(call()),
    blast(call({ state: 'ringing', attempts: [attempt({ ringingAt: AT, clips: clips(0, 0, 0) })] })),
    blast(PLAYING),
    blast(
      call({
        state: 'finished',
        outcome: 'completed',
        attempts: [attempt({ ringingAt: AT, answeredAt: AT, codec: 'PCMU', clips: clips(100, 100, 100) })],
      }),
    ),
  ].map(stepsOf);
  expect(stages.at(-1)).toEqual([
    '  ringing',
    '  answered, PCMU',
    '  greeting, 2.0 s',
    '  clip 1 of 2, 2.0 s',
    '  clip 2 of 2, 2.0 s',
    '  done, all clips played',
  ]);
  expect(stages.map((steps) => steps.length)).toEqual([0, 1, 4, 6]);
  for (const steps of stages) expect(stages.at(-1)?.slice(0, steps.length)).toEqual(steps);
});

test('later attempts are told apart', () => {
  const attempts = [attempt({ ringingAt: AT }), attempt({ number: 2, ringingAt: AT })];
  expect(stepsOf(blast(call({ attempts })))).toEqual(['  ringing', '  attempt 2: ringing']);
});
