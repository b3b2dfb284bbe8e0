import { describe, expect, test } from 'vitest';
import { everyCell, inputsOf, namesOf, type Row, TIMERS } from '../../test/support/cells.ts';
import { wordsOf } from '../../test/support/effects.ts';
import { requestOf, responseOf } from '../../test/support/sip-messages.ts';
import type { ServerInput, TimerName } from './machine.ts';
import {
  type InviteServerState,
  type NonInviteServerState,
  startInviteServer,
  startNonInviteServer,
  stepInviteServer,
  stepNonInviteServer,
} from './server-transaction.ts';

const inputOf = (word: string, method: string): ServerInput => {
  if (word === 'transport-error') return { kind: 'transport-error' };
  if (word === 'request') return { kind: 'request', request: requestOf(method) };
  if (word === 'ACK') return { kind: 'request', request: requestOf('ACK') };
  if (TIMERS.some((timer) => timer === word)) return { kind: 'timer', timer: word as TimerName };
  return { kind: 'answer', response: responseOf(Number(word), method) };
};

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
  const states = namesOf<InviteServerState['name']>({
    proceeding: true,
    accepted: true,
    completed: true,
    confirmed: true,
    terminated: true,
  });
  const inputs = inputsOf<ServerInput['kind']>({
    request: ['request', 'ACK'],
    answer: ['100', '180', '200', '302', '486', '603'],
    timer: TIMERS,
    'transport-error': ['transport-error'],
  });

  test.each(everyCell(rows, states, inputs))('%s, %s -> %s %j', (name, input, next, effects) => {
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
  const states = namesOf<NonInviteServerState['name']>({
    trying: true,
    proceeding: true,
    completed: true,
    terminated: true,
  });
  const inputs = inputsOf<ServerInput['kind']>({
    request: ['request', 'ACK'],
    answer: ['100', '200', '302', '481', '603'],
    timer: TIMERS,
    'transport-error': ['transport-error'],
  });

  test.each(everyCell(rows, states, inputs))('%s, %s -> %s %j', (name, input, next, effects) => {
    const state = { name, response: responseOf(183, 'BYE') } as NonInviteServerState;
    const step = stepNonInviteServer(state, inputOf(input, 'BYE'));
    expect([step.next.name, wordsOf(step.effects)]).toEqual([next, effects]);
  });

  test('begins in trying, with nothing sent', () => {
    expect(startNonInviteServer()).toEqual({ next: { name: 'trying', response: null }, effects: [] });
  });
});
