import { describe, expect, test } from 'vitest';
import { everyCell, inputsOf, namesOf, type Row, TIMERS } from '../../test/support/cells.ts';
import { wordsOf } from '../../test/support/effects.ts';
import { requestOf, responseOf } from '../../test/support/sip-messages.ts';
import { type InviteClientState, startInviteClient, stepInviteClient } from './invite-client-transaction.ts';
import type { ClientInput, TimerName } from './machine.ts';
import {
  type NonInviteClientState,
  startNonInviteClient,
  stepNonInviteClient,
} from './non-invite-client-transaction.ts';

const inputOf = (word: string, method: string): ClientInput => {
  if (word === 'transport-error' || word === 'hush' || word === 'connection-lost') return { kind: word };
  if (TIMERS.some((timer) => timer === word)) return { kind: 'timer', timer: word as TimerName };
  return { kind: 'response', response: responseOf(Number(word), method) };
};

describe('INVITE client transaction (RFC 3261 17.1.1, RFC 6026)', () => {
  const rows: readonly Row[] = [
    ['calling', '100', 'proceeding', ['clear A', 'clear B', 'deliver 100 INVITE']],
    ['calling', '180', 'proceeding', ['clear A', 'clear B', 'deliver 180 INVITE']],
    ['calling', '200', 'accepted', ['clear A', 'clear B', 'set M 32000', 'deliver 200 INVITE']],
    ['calling', '302', 'completed', ['clear A', 'clear B', 'send ACK', 'set D 32000', 'deliver 302 INVITE']],
    ['calling', '486', 'completed', ['clear A', 'clear B', 'send ACK', 'set D 32000', 'deliver 486 INVITE']],
    ['calling', '699', 'completed', ['clear A', 'clear B', 'send ACK', 'set D 32000', 'deliver 699 INVITE']],
    ['calling', 'A', 'calling', ['send INVITE', 'set A 1000']],
    ['calling', 'B', 'terminated', ['report timeout']],
    ['calling', 'hush', 'calling', ['clear A']],
    ['calling', 'connection-lost', 'calling', ['send INVITE']],
    ['calling', 'transport-error', 'terminated', ['report transport-error']],
    ['proceeding', '100', 'proceeding', ['clear A', 'clear B', 'deliver 100 INVITE']],
    ['proceeding', '180', 'proceeding', ['clear A', 'clear B', 'deliver 180 INVITE']],
    ['proceeding', '200', 'accepted', ['clear A', 'clear B', 'set M 32000', 'deliver 200 INVITE']],
    ['proceeding', '302', 'completed', ['clear A', 'clear B', 'send ACK', 'set D 32000', 'deliver 302 INVITE']],
    ['proceeding', '486', 'completed', ['clear A', 'clear B', 'send ACK', 'set D 32000', 'deliver 486 INVITE']],
    ['proceeding', '699', 'completed', ['clear A', 'clear B', 'send ACK', 'set D 32000', 'deliver 699 INVITE']],
    ['accepted', '200', 'accepted', ['deliver 200 INVITE']],
    ['accepted', 'M', 'terminated', []],
    ['completed', '302', 'completed', ['send ACK']],
    ['completed', '486', 'completed', ['send ACK']],
    ['completed', '699', 'completed', ['send ACK']],
    ['completed', 'D', 'terminated', []],
    ['completed', 'transport-error', 'terminated', ['report transport-error']],
  ];
  const states = namesOf<InviteClientState['name']>({
    calling: true,
    proceeding: true,
    accepted: true,
    completed: true,
    terminated: true,
  });
  const inputs = inputsOf<ClientInput['kind']>({
    response: ['100', '180', '200', '302', '486', '699'],
    timer: TIMERS,
    'transport-error': ['transport-error'],
    hush: ['hush'],
    'connection-lost': ['connection-lost'],
  });

  test.each(everyCell(rows, states, inputs))('%s, %s -> %s %j', (name, input, next, effects) => {
    const state = { name, request: requestOf('INVITE'), retransmitMs: 500, mayReconnect: true } as InviteClientState;
    const step = stepInviteClient(state, inputOf(input, 'INVITE'));
    expect([step.next.name, wordsOf(step.effects)]).toEqual([next, effects]);
  });

  test('begins by sending; A doubles without a cap', () => {
    const start = startInviteClient(requestOf('INVITE'));
    expect(wordsOf(start.effects)).toEqual(['send INVITE', 'set A 500', 'set B 32000']);
    let state = start.next;
    const intervals = Array.from({ length: 6 }, () => {
      const step = stepInviteClient(state, { kind: 'timer', timer: 'A' });
      state = step.next;
      return wordsOf(step.effects)[1];
    });
    expect(intervals).toEqual(['set A 1000', 'set A 2000', 'set A 4000', 'set A 8000', 'set A 16000', 'set A 32000']);
  });

  test('the ACK of a refusal has the branch of the INVITE, the To of the answer and no body (17.1.1.3)', () => {
    const route = requestOf('INVITE').contacts;
    const request = requestOf('INVITE', { routes: route, body: Uint8Array.of(1), contentType: 'application/sdp' });
    const step = stepInviteClient(startInviteClient(request).next, inputOf('486', 'INVITE'));
    const ack = step.effects.find((effect) => effect.kind === 'send');
    expect(ack?.message).toMatchObject({
      method: 'ACK',
      uri: request.uri,
      vias: [request.vias[0]],
      to: { params: [['tag', 'b']] },
      cseq: { number: 1, method: 'ACK' },
      routes: route,
      contacts: [],
      contentType: null,
    });
    expect(ack?.message.body).toHaveLength(0);
  });
});

describe('a lost connection', () => {
  const lost: ClientInput = { kind: 'connection-lost' };

  test('has an INVITE sent once more, never twice, and not at all when it was given up', () => {
    const started = startInviteClient(requestOf('INVITE')).next;
    const again = stepInviteClient(started, lost);
    const twice = stepInviteClient(again.next, lost);
    const hushed = stepInviteClient(stepInviteClient(started, { kind: 'hush' }).next, lost);
    expect([again, twice, hushed].map(({ next, effects }) => [next.name, wordsOf(effects)])).toEqual([
      ['calling', ['send INVITE']],
      ['terminated', ['report transport-error']],
      ['terminated', ['report transport-error']],
    ]);
  });

  test('has another request sent once more, never twice, and not after a provisional answer or when it was given up', () => {
    const started = startNonInviteClient(requestOf('BYE')).next;
    const again = stepNonInviteClient(started, lost);
    const twice = stepNonInviteClient(again.next, lost);
    const [answered, hushed] = [inputOf('100', 'BYE'), inputOf('hush', 'BYE')].map((input) =>
      stepNonInviteClient(stepNonInviteClient(started, input).next, lost),
    );
    expect([again, twice, answered, hushed].map((step) => step && [step.next.name, wordsOf(step.effects)])).toEqual([
      ['trying', ['send BYE']],
      ['terminated', ['report transport-error']],
      ['terminated', ['report transport-error']],
      ['terminated', ['report transport-error']],
    ]);
  });
});

describe('non-INVITE client transaction (RFC 3261 17.1.2)', () => {
  const end = (status: number): string[] => ['clear E', 'clear F', 'set K 5000', `deliver ${status} BYE`];
  const waiting = (state: string, interval: number): Row[] => [
    [state, '100', 'proceeding', ['deliver 100 BYE']],
    [state, '200', 'completed', end(200)],
    [state, '302', 'completed', end(302)],
    [state, '481', 'completed', end(481)],
    [state, '603', 'completed', end(603)],
    [state, 'E', state, ['send BYE', `set E ${interval}`]],
    [state, 'F', 'terminated', ['report timeout']],
    [state, 'hush', state, ['clear E']],
    [state, 'connection-lost', state, ['send BYE']],
    [state, 'transport-error', 'terminated', ['report transport-error']],
  ];
  const rows: readonly Row[] = [
    ...waiting('trying', 1_000),
    ...waiting('proceeding', 4_000),
    ['completed', 'K', 'terminated', []],
  ];
  const states = namesOf<NonInviteClientState['name']>({
    trying: true,
    proceeding: true,
    completed: true,
    terminated: true,
  });
  const inputs = inputsOf<ClientInput['kind']>({
    response: ['100', '200', '302', '481', '603'],
    timer: TIMERS,
    'transport-error': ['transport-error'],
    hush: ['hush'],
    'connection-lost': ['connection-lost'],
  });

  test.each(everyCell(rows, states, inputs))('%s, %s -> %s %j', (name, input, next, effects) => {
    const state = { name, request: requestOf('BYE'), retransmitMs: 500, mayReconnect: true } as NonInviteClientState;
    const step = stepNonInviteClient(state, inputOf(input, 'BYE'));
    expect([step.next.name, wordsOf(step.effects)]).toEqual([next, effects]);
  });

  test('begins by sending; E doubles up to T2', () => {
    const start = startNonInviteClient(requestOf('BYE'));
    expect(wordsOf(start.effects)).toEqual(['send BYE', 'set E 500', 'set F 32000']);
    let state = start.next;
    const intervals = Array.from({ length: 5 }, () => {
      const step = stepNonInviteClient(state, { kind: 'timer', timer: 'E' });
      state = step.next;
      return wordsOf(step.effects)[1];
    });
    expect(intervals).toEqual(['set E 1000', 'set E 2000', 'set E 4000', 'set E 4000', 'set E 4000']);
  });
});
