import { describe, expect, test } from 'vitest';
import { wordsOf } from '../../test/support/effects.ts';
import { requestOf, responseOf } from '../../test/support/sip-messages.ts';
import { startAcceptedInvite, stepAcceptedInvite } from './accepted-invite.ts';
import type { ServerInput, TimerName } from './machine.ts';
import {
  type InviteServerState,
  type NonInviteServerState,
  startInviteServer,
  startNonInviteServer,
  stepInviteServer,
  stepNonInviteServer,
} from './server-transaction.ts';

type Row = readonly [state: string, input: string, next: string, effects: readonly string[]];

const inputOf = (word: string, method: string): ServerInput => {
  if (word === 'transport-error') return { kind: 'transport-error' };
  if (word === 'request') return { kind: 'request', request: requestOf(method) };
  if (word === 'ACK') return { kind: 'request', request: requestOf('ACK') };
  if (/^[A-Z]$/.test(word)) return { kind: 'timer', timer: word as TimerName };
  return { kind: 'answer', response: responseOf(Number(word), method) };
};

const emptyCells = (rows: readonly Row[], states: readonly string[], inputs: readonly string[]): Row[] =>
  states.flatMap((state) =>
    inputs
      .filter((input) => !rows.some((row) => row[0] === state && row[1] === input))
      .map((input): Row => [state, input, state, []]),
  );

describe('INVITE server transaction (RFC 3261 17.2.1, RFC 6026)', () => {
  const refusal = (status: number): string[] => [`send ${status} INVITE`, 'set G 500', 'set H 32000'];
  const rows: readonly Row[] = [
    ['proceeding', 'request', 'proceeding', ['send 183 INVITE']],
    ['proceeding', '100', 'proceeding', ['send 100 INVITE']],
    ['proceeding', '180', 'proceeding', ['send 180 INVITE']],
    ['proceeding', '200', 'accepted', ['send 200 INVITE', 'set L 32000']],
    ['proceeding', '302', 'completed', refusal(302)],
    ['proceeding', '486', 'completed', refusal(486)],
    ['proceeding', '603', 'completed', refusal(603)],
    ['proceeding', 'transport-error', 'terminated', ['report transport-error']],
    ['accepted', 'ACK', 'accepted', ['deliver ACK']],
    ['accepted', '200', 'accepted', ['send 200 INVITE']],
    ['accepted', 'L', 'terminated', []],
    ['accepted', 'transport-error', 'accepted', ['report transport-error']],
    ['completed', 'request', 'completed', ['send 183 INVITE']],
    ['completed', 'ACK', 'confirmed', ['clear G', 'clear H', 'set I 5000']],
    ['completed', 'G', 'completed', ['send 183 INVITE', 'set G 1000']],
    ['completed', 'H', 'terminated', ['report timeout']],
    ['completed', 'transport-error', 'terminated', ['report transport-error']],
    ['confirmed', 'I', 'terminated', []],
  ];
  const states = ['proceeding', 'accepted', 'completed', 'confirmed', 'terminated'];
  const inputs = [
    'request',
    'ACK',
    '100',
    '180',
    '200',
    '302',
    '486',
    '603',
    'G',
    'H',
    'I',
    'L',
    'J',
    'transport-error',
  ];

  test.each([...rows, ...emptyCells(rows, states, inputs)])('%s, %s -> %s %j', (name, input, next, effects) => {
    const state = { name, response: responseOf(183), retransmitMs: 500 } as InviteServerState;
    const step = stepInviteServer(state, inputOf(input, 'INVITE'));
    expect([step.next.name, wordsOf(step.effects)]).toEqual([next, effects]);
  });

  test('before the first answer a repeated INVITE is met with silence', () => {
    expect(stepInviteServer(startInviteServer().next, inputOf('request', 'INVITE')).effects).toEqual([]);
  });

  test('G doubles up to T2 and repeats the refusal', () => {
    let state = stepInviteServer(startInviteServer().next, inputOf('486', 'INVITE')).next;
    const words = Array.from({ length: 5 }, () => {
      const step = stepInviteServer(state, inputOf('G', 'INVITE'));
      state = step.next;
      return wordsOf(step.effects).join();
    });
    expect(words).toEqual([1_000, 2_000, 4_000, 4_000, 4_000].map((ms) => `send 486 INVITE,set G ${ms}`));
  });
});

describe('non-INVITE server transaction (RFC 3261 17.2.2)', () => {
  const answers = (state: string): Row[] => [
    [state, '100', 'proceeding', ['send 100 BYE']],
    [state, '200', 'completed', ['send 200 BYE', 'set J 32000']],
    [state, '302', 'completed', ['send 302 BYE', 'set J 32000']],
    [state, '481', 'completed', ['send 481 BYE', 'set J 32000']],
    [state, '603', 'completed', ['send 603 BYE', 'set J 32000']],
    [state, 'transport-error', 'terminated', ['report transport-error']],
  ];
  const rows: readonly Row[] = [
    ...answers('trying'),
    ...answers('proceeding'),
    ['proceeding', 'request', 'proceeding', ['send 183 BYE']],
    ['completed', 'request', 'completed', ['send 183 BYE']],
    ['completed', 'J', 'terminated', []],
    ['completed', 'transport-error', 'terminated', ['report transport-error']],
  ];
  const states = ['trying', 'proceeding', 'completed', 'terminated'];
  const inputs = ['request', 'ACK', '100', '200', '302', '481', '603', 'J', 'G', 'transport-error'];

  test.each([...rows, ...emptyCells(rows, states, inputs)])('%s, %s -> %s %j', (name, input, next, effects) => {
    const state = { name, response: responseOf(183, 'BYE') } as NonInviteServerState;
    const step = stepNonInviteServer(state, inputOf(input, 'BYE'));
    expect([step.next.name, wordsOf(step.effects)]).toEqual([next, effects]);
  });

  test('begins in trying, with nothing sent', () => {
    expect(startNonInviteServer()).toEqual({ next: { name: 'trying', response: null }, effects: [] });
  });
});

describe('a UAS that accepted an INVITE (RFC 3261 13.3.1.4)', () => {
  const start = startAcceptedInvite(responseOf(200));

  test('repeats the 200 at doubling intervals up to T2 until the ACK', () => {
    expect(wordsOf(start.effects)).toEqual(['set resend 500', 'set abandon 32000']);
    let state = start.next;
    const words = Array.from({ length: 4 }, () => {
      const step = stepAcceptedInvite(state, { kind: 'timer', timer: 'resend' });
      state = step.next;
      return wordsOf(step.effects).join();
    });
    expect(words).toEqual([1_000, 2_000, 4_000, 4_000].map((ms) => `send 200 INVITE,set resend ${ms}`));
    const acknowledged = stepAcceptedInvite(state, { kind: 'ack' });
    expect([acknowledged.next.name, wordsOf(acknowledged.effects)]).toEqual([
      'acknowledged',
      ['clear resend', 'clear abandon'],
    ]);
    expect(stepAcceptedInvite(acknowledged.next, { kind: 'timer', timer: 'resend' }).effects).toEqual([]);
  });

  test('gives up after 64*T1, and a transport error is no reason to', () => {
    const abandoned = stepAcceptedInvite(start.next, { kind: 'timer', timer: 'abandon' });
    expect([abandoned.next.name, wordsOf(abandoned.effects)]).toEqual(['terminated', ['report timeout']]);
    expect(stepAcceptedInvite(start.next, { kind: 'transport-error' })).toEqual({ next: start.next, effects: [] });
  });
});
