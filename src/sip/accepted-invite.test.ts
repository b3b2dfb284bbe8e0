import { describe, expect, test } from 'vitest';
import { everyCell, inputsOf, namesOf, type Row, TIMERS } from '../../test/support/cells.ts';
import { wordsOf } from '../../test/support/effects.ts';
import { responseOf } from '../../test/support/sip-messages.ts';
import {
  type AcceptedInviteInput,
  type AcceptedInviteState,
  startAcceptedInvite,
  stepAcceptedInvite,
} from './accepted-invite.ts';
import type { TimerName } from './machine.ts';

const inputOf = (word: string): AcceptedInviteInput =>
  word === 'ack' || word === 'transport-error' ? { kind: word } : { kind: 'timer', timer: word as TimerName };

describe('a UAS that accepted an INVITE (RFC 3261 13.3.1.4)', () => {
  const start = startAcceptedInvite(responseOf(200));

  const rows: readonly Row[] = [
    ['waiting', 'ack', 'acknowledged', ['clear resend', 'clear abandon']],
    ['waiting', 'resend', 'waiting', ['send 200 INVITE', 'set resend 1000']],
    ['waiting', 'abandon', 'terminated', ['report timeout']],
  ];
  const states = namesOf<AcceptedInviteState['name']>({ waiting: true, acknowledged: true, terminated: true });
  const inputs = inputsOf<AcceptedInviteInput['kind']>({
    ack: ['ack'],
    timer: TIMERS,
    'transport-error': ['transport-error'],
  });

  test.each(everyCell(rows, states, inputs, ['acknowledged', 'terminated']))(
    '%s, %s -> %s %j',
    (name, input, next, effects) => {
      const step = stepAcceptedInvite({ ...start.next, name: name as AcceptedInviteState['name'] }, inputOf(input));
      expect([step.next.name, wordsOf(step.effects)]).toEqual([next, effects]);
    },
  );

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
