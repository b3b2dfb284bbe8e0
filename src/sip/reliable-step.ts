import type { Effect, Step, TimerName } from './machine.ts';

/** Timers that repeat a message: never set (RFC 3261 17.1.1.2, 17.1.2.2, 17.2.1). */
const REPEATING: ReadonlySet<TimerName> = new Set(['A', 'E', 'G']);
/** Timers that wait for what was repeated: zero (RFC 3261 table 4). */
const ABSORBING: ReadonlySet<TimerName> = new Set(['D', 'I', 'J', 'K']);

const overReliable = (effect: Effect): readonly Effect[] => {
  if (effect.kind !== 'set-timer') return [effect];
  if (REPEATING.has(effect.timer)) return [];
  return [ABSORBING.has(effect.timer) ? { ...effect, afterMs: 0 } : effect];
};

/** The same step of a transaction over a transport that loses and repeats nothing. */
export const reliableStep = <State>({ next, effects }: Step<State>): Step<State> => ({
  next,
  effects: effects.flatMap(overReliable),
});
