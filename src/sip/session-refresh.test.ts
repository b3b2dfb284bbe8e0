import { describe, expect, test } from 'vitest';
import { type RefreshEffect, type RefreshInput, type RefreshState, stepRefresh } from './session-refresh.ts';

const INPUTS: Readonly<Record<string, RefreshInput>> = {
  'agreed us': { kind: 'agreed', timer: { seconds: 90, refresher: 'us' } },
  'agreed them': { kind: 'agreed', timer: { seconds: 1_800, refresher: 'them' } },
  'agreed none': { kind: 'agreed', timer: null },
  'refused for now': { kind: 'refused', againAfterMs: 2_100 },
  refused: { kind: 'refused', againAfterMs: null },
  lost: { kind: 'lost' },
  'refresh-due': { kind: 'refresh-due' },
  expired: { kind: 'expired' },
  ended: { kind: 'ended' },
};
const STATES: readonly RefreshState['name'][] = ['off', 'kept', 'refreshing', 'over'];

const US = 'clear-timers wait-expiry 60000 wait-refresh 45000';
const THEM = 'clear-timers wait-expiry 1768000';
type Row = readonly [state: RefreshState['name'], input: string, next: RefreshState['name'], effects: string];

const ROWS: readonly Row[] = [
  ...(['off', 'kept', 'refreshing'] as const).flatMap((state): Row[] => [
    [state, 'agreed us', 'kept', US],
    [state, 'agreed them', 'kept', THEM],
    [state, 'agreed none', 'off', 'clear-timers'],
    [state, 'ended', 'over', 'clear-timers'],
  ]),
  ['kept', 'refresh-due', 'refreshing', 'refresh'],
  ['kept', 'expired', 'over', 'clear-timers give-up'],
  ['refreshing', 'refused for now', 'kept', 'wait-refresh 2100'],
  ['refreshing', 'refused', 'kept', ''],
  ['refreshing', 'lost', 'over', 'clear-timers give-up'],
  ['refreshing', 'expired', 'over', 'clear-timers give-up'],
];

/** What the rows do not name changes nothing. */
const EMPTY: readonly Row[] = STATES.flatMap((state) =>
  Object.keys(INPUTS)
    .filter((input) => !ROWS.some((row) => row[0] === state && row[1] === input))
    .map((input): Row => [state, input, state, '']),
);

const wordsOf = (effects: readonly RefreshEffect[]): string =>
  effects.map((effect) => ('afterMs' in effect ? `${effect.kind} ${effect.afterMs}` : effect.kind)).join(' ');

describe('every cell of the session refresh', () => {
  test.each([...ROWS, ...EMPTY])('%s, %s -> %s: %s', (name, input, next, effects) => {
    const step = stepRefresh({ name }, INPUTS[input] as RefreshInput);
    expect([step.next.name, wordsOf(step.effects)]).toEqual([next, effects]);
  });
});
