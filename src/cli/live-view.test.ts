import { expect, test } from 'vitest';
import type { Blast, Call } from './api-shapes.ts';
import { createLiveView } from './live-view.ts';

const blast = (calls: readonly Partial<Call>[]): Blast => ({
  id: '1',
  applicationId: '1',
  networkId: '1',
  mediaIds: ['101'],
  greetingId: null,
  acceptedAt: '2026-11-21T02:36:09Z',
  state: 'active',
  calls: calls.map((call) => ({
    id: '1',
    destination: 'sip:a@h',
    state: 'waiting',
    outcome: null,
    attempts: [],
    ...call,
  })),
});

const capture = (isTTY: boolean, columns = 80) => {
  const written: string[] = [];
  return { stream: { write: (text: string) => written.push(text), isTTY, columns }, written };
};

test('on a terminal each drawing covers the one before, however high that was', () => {
  const { stream, written } = capture(true);
  const view = createLiveView(stream);
  view.show(blast([{ state: 'ringing' }, { state: 'waiting' }]));
  view.show(blast([{ state: 'finished', outcome: 'busy' }, { state: 'ringing' }]));
  expect(written[0]).toBe('\r\x1b[J  sip:a@h: ringing\n  sip:a@h: waiting to be dialled\n');
  expect(written[1]).toBe('\x1b[2A\r\x1b[J  sip:a@h: busy\n  sip:a@h: ringing\n');
});

test('lines are cut to the width of the terminal, so that none wraps', () => {
  const { stream, written } = capture(true, 10);
  createLiveView(stream).show(blast([{ state: 'waiting' }]));
  expect(written[0]).toBe('\r\x1b[J  waiting\n');
});

test('a terminal that does not know its width is taken for a usual one', () => {
  const { stream, written } = capture(true, 0);
  createLiveView(stream).show(blast([{ state: 'waiting' }]));
  expect(written[0]).toBe('\r\x1b[J  waiting to be dialled\n');
});

test('anywhere else every step is written once, without any escape', () => {
  const { stream, written } = capture(false);
  const view = createLiveView(stream);
  view.show(blast([{ state: 'waiting' }]));
  view.show(blast([{ state: 'finished', outcome: 'busy' }]));
  view.show(blast([{ state: 'finished', outcome: 'busy' }]));
  expect(written).toEqual(['  busy\n']);
});
