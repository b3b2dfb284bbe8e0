import { describe, expect, test } from 'vitest';
import { namesOf } from '../../test/support/cells.ts';
import { type CallInput, type CallState, NEW_CALL, stepCall } from './call-state.ts';

const MEDIA = {
  codec: 'PCMU',
  payloadType: 0,
  address: '192.0.2.2',
  port: 4_000,
  direction: 'sendrecv',
  packetTimeMs: 20,
  rtcp: null,
  isRtcpMux: false,
  telephoneEvent: null,
  profile: 'RTP/AVP',
  crypto: null,
} as const;
const OK = { status: 200, reason: 'OK' };
const NOTHING_MORE = { cause: null, retryAfterSeconds: null };

const INPUTS: Readonly<Record<string, CallInput>> = {
  prepared: { kind: 'prepared' },
  unprepared: { kind: 'unprepared', outcome: 'failed', reason: 'why' },
  '100': { kind: 'provisional', status: 100 },
  '180': { kind: 'provisional', status: 180 },
  '200': { kind: 'accepted', ...OK, answer: { media: MEDIA } },
  '200 unusable': { kind: 'accepted', ...OK, answer: { problem: 'why' } },
  '401': { kind: 'again', ...NOTHING_MORE, status: 401, reason: 'Unauthorized' },
  '486': { kind: 'refused', ...NOTHING_MORE, status: 486, reason: 'Busy Here' },
  unanswered: { kind: 'unanswered', reason: 'why' },
  'ring-deadline': { kind: 'ring-deadline' },
  abandon: { kind: 'abandon' },
  cancel: { kind: 'cancel' },
  played: { kind: 'played' },
  'media-failed': { kind: 'media-failed', reason: 'why' },
  'peer-bye': { kind: 'peer-bye', words: 'why' },
  'session-lost': { kind: 'session-lost', reason: 'why' },
  'bye-done': { kind: 'bye-done' },
  interrupt: { kind: 'interrupt' },
};

type Row = readonly [state: string, input: string, next: string, outcome: string | null, effects: string];

/** A state in the words of the rows: its name, and the outcome that is decided already. */
const stateOf = (words: string): CallState => {
  const [name, outcome] = words.split(' ') as [CallState['name'], CallState['outcome'] | undefined];
  return { ...NEW_CALL, name, outcome: outcome ?? null };
};

const ROWS: readonly Row[] = [
  ['preparing', 'prepared', 'calling', null, 'invite'],
  ['preparing', 'unprepared', 'over', 'failed', 'settle'],
  ['preparing', 'cancel', 'over', 'cancelled', 'settle'],
  ['preparing', 'interrupt', 'over', 'interrupted', 'settle'],

  ['calling', '100', 'proceeding', null, ''],
  ['calling', '180', 'proceeding', null, 'report-ringing'],
  ['calling', '200', 'talking', null, 'ack play report-answered'],
  ['calling', '200 unusable', 'ending', 'failed', 'ack bye report-answered'],
  ['calling', '401', 'calling', null, 'invite-again'],
  ['calling', '486', 'over', 'busy', 'settle'],
  ['calling', 'unanswered', 'over', 'unreachable', 'settle'],
  ['calling', 'ring-deadline', 'calling', 'no_answer', ''],
  ['calling', 'cancel', 'calling', 'cancelled', ''],
  ['calling', 'interrupt', 'over', 'interrupted', 'settle'],

  ['calling no_answer', '100', 'cancelling', 'no_answer', 'cancel'],
  ['calling no_answer', '180', 'cancelling', 'no_answer', 'cancel'],
  ['calling no_answer', '200', 'ending', 'no_answer', 'ack bye report-answered'],
  ['calling no_answer', '200 unusable', 'ending', 'no_answer', 'ack bye report-answered'],
  ['calling no_answer', '401', 'over', 'no_answer', 'settle'],
  ['calling no_answer', '486', 'over', 'no_answer', 'settle'],
  ['calling no_answer', 'unanswered', 'over', 'unreachable', 'settle'],
  ['calling no_answer', 'ring-deadline', 'calling', 'no_answer', ''],
  ['calling no_answer', 'cancel', 'calling', 'no_answer', ''],
  ['calling no_answer', 'interrupt', 'over', 'no_answer', 'settle'],
  ['calling cancelled', 'unanswered', 'over', 'cancelled', 'settle'],

  ['proceeding', '100', 'proceeding', null, ''],
  ['proceeding', '180', 'proceeding', null, 'report-ringing'],
  ['proceeding', '200', 'talking', null, 'ack play report-answered'],
  ['proceeding', '200 unusable', 'ending', 'failed', 'ack bye report-answered'],
  ['proceeding', '401', 'calling', null, 'invite-again'],
  ['proceeding', '486', 'over', 'busy', 'settle'],
  ['proceeding', 'unanswered', 'over', 'unreachable', 'settle'],
  ['proceeding', 'ring-deadline', 'cancelling', 'no_answer', 'cancel'],
  ['proceeding', 'cancel', 'cancelling', 'cancelled', 'cancel'],
  ['proceeding', 'peer-bye', 'cancelling', 'hung_up', 'cancel report-answered'],
  ['proceeding', 'interrupt', 'over', 'interrupted', 'cancel settle'],

  ['cancelling cancelled', '200', 'ending', 'cancelled', 'ack bye report-answered'],
  ['cancelling cancelled', '200 unusable', 'ending', 'cancelled', 'ack bye report-answered'],
  ['cancelling cancelled', '401', 'over', 'cancelled', 'settle'],
  ['cancelling cancelled', '486', 'over', 'cancelled', 'settle'],
  ['cancelling cancelled', 'unanswered', 'over', 'cancelled', 'settle'],
  ['cancelling cancelled', 'abandon', 'over', 'cancelled', 'settle'],
  ['cancelling cancelled', 'peer-bye', 'cancelling', 'cancelled', 'report-answered'],
  ['cancelling cancelled', 'interrupt', 'over', 'cancelled', 'settle'],
  ['cancelling no_answer', '200', 'ending', 'no_answer', 'ack bye report-answered'],
  ['cancelling no_answer', '486', 'over', 'no_answer', 'settle'],
  ['cancelling no_answer', 'abandon', 'over', 'no_answer', 'settle'],

  ['talking', 'played', 'ending', 'completed', 'bye'],
  ['talking', 'media-failed', 'ending', 'failed', 'bye'],
  ['talking', 'peer-bye', 'over', 'hung_up', 'settle'],
  ['talking', 'session-lost', 'ending', 'failed', 'stop-media bye'],
  ['talking', 'cancel', 'ending', 'cancelled', 'stop-media bye'],
  ['talking', 'interrupt', 'over', 'interrupted', 'bye settle'],

  ['ending completed', 'bye-done', 'over', 'completed', 'settle'],
  ['ending completed', 'interrupt', 'over', 'completed', 'settle'],
];

const STATES = [
  'preparing',
  'calling',
  'proceeding',
  'cancelling cancelled',
  'talking',
  'ending completed',
  'over completed',
];

/** What the rows do not name changes nothing. */
const EMPTY: readonly Row[] = STATES.flatMap((state) =>
  Object.keys(INPUTS)
    .filter((input) => !ROWS.some((row) => row[0] === state && row[1] === input))
    .map((input): Row => [state, input, stateOf(state).name, stateOf(state).outcome, '']),
);

describe('every cell of the call', () => {
  test.each([...ROWS, ...EMPTY])('%s, %s -> %s %s: %s', (state, input, next, outcome, effects) => {
    const step = stepCall(stateOf(state), INPUTS[input] as CallInput);
    expect(step.next).toMatchObject({ name: next, outcome });
    expect(step.effects.map((effect) => effect.kind).join(' ')).toBe(effects);
  });

  test('ringing is reported once', () => {
    const rung = stepCall(stateOf('calling'), INPUTS['180'] as CallInput).next;
    expect(stepCall(rung, { kind: 'provisional', status: 183 }).effects).toEqual([]);
  });

  test('the final answer is kept; a reason of our own is put in its place', () => {
    const following = (input: string): CallState => stepCall(stateOf('proceeding'), INPUTS[input] as CallInput).next;
    expect(following('486')).toMatchObject({ sipStatus: 486, sipReason: 'Busy Here' });
    expect(following('200')).toMatchObject({ sipStatus: 200, sipReason: 'OK' });
    expect(following('200 unusable')).toMatchObject({ sipStatus: 200, sipReason: 'why' });
    expect(following('unanswered')).toMatchObject({ sipStatus: null, sipReason: 'why' });
  });
});

/** A state or an input that is new to the call does not compile here, and fails above if it changes anything. */
describe('the table of the call', () => {
  test('leaves out no state', () => {
    const names = namesOf<CallState['name']>({
      preparing: true,
      calling: true,
      proceeding: true,
      cancelling: true,
      talking: true,
      ending: true,
      over: true,
    });
    expect(new Set(STATES.map((words) => stateOf(words).name))).toEqual(new Set(names));
  });

  test('leaves out no input', () => {
    const kinds = namesOf<CallInput['kind']>({
      prepared: true,
      unprepared: true,
      provisional: true,
      accepted: true,
      again: true,
      refused: true,
      unanswered: true,
      'ring-deadline': true,
      abandon: true,
      cancel: true,
      played: true,
      'media-failed': true,
      'peer-bye': true,
      'session-lost': true,
      'bye-done': true,
      interrupt: true,
    });
    expect(new Set(Object.values(INPUTS).map(({ kind }) => kind))).toEqual(new Set(kinds));
  });
});
