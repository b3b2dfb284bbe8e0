import { isReliable, type TransportName } from './hop.ts';
import type { Effect, Step, TimerName } from './machine.ts';
import { type Machine, type RunningMachine, runMachine } from './run-machine.ts';

/** Timers that repeat a message: never set (RFC 3261 17.1.1.2, 17.1.2.2, 17.2.1). */
const REPEATING: ReadonlySet<TimerName> = new Set(['A', 'E', 'G']);
/** Timers that wait for what was repeated: zero (RFC 3261 table 4). */
const ABSORBING: ReadonlySet<TimerName> = new Set(['D', 'I', 'J', 'K']);

const overReliable = (effect: Effect): readonly Effect[] => {
  if (effect.kind !== 'set-timer') return [effect];
  if (REPEATING.has(effect.timer)) return [];
  return [ABSORBING.has(effect.timer) ? { ...effect, afterMs: 0 } : effect];
};

/** The same step of a transaction over a transport that neither loses nor repeats anything. */
export const reliableStep = <State>({ next, effects }: Step<State>): Step<State> => ({
  next,
  effects: effects.flatMap(overReliable),
});

/** Runs a transaction of RFC 3261 17, whose table is that of unreliable transports, over a given one. */
export const runOver = <State extends { readonly name: string }, Input>(
  transport: TransportName,
  machine: Machine<State, Input>,
): RunningMachine<State, Input> => {
  if (!isReliable(transport)) return runMachine(machine);
  const { step } = machine;
  return runMachine({
    ...machine,
    start: reliableStep(machine.start),
    step: (state, input) => reliableStep(step(state, input)),
  });
};
