import type { Effect, Step, TimerInput, TimerName } from './machine.ts';

/** Wakes once after a delay; the answer cancels it. The surroundings supply it: real or virtual time. */
export type WakeAfter = (delayMs: number, wake: () => void) => () => void;

/** What is left to the surroundings once timers are taken care of. */
export type OutwardEffect = Exclude<Effect, { readonly kind: 'set-timer' | 'clear-timer' }>;

export interface RunningMachine<State, Input> {
  state(): State;
  input(input: Input): void;
  /** Clears every timer; no effect follows. */
  stop(): void;
}

export interface Machine<State, Input> {
  readonly start: Step<State>;
  readonly step: (state: State, input: Input | TimerInput) => Step<State>;
  readonly perform: (effect: OutwardEffect) => void;
  readonly wakeAfter: WakeAfter;
  readonly onTerminated?: () => void;
}

/**
 * Keeps the state of one machine and its timers, and hands every other effect to `perform`, in order. Timers are
 * cleared when the machine reaches `terminated`, and `onTerminated` is called then. Input that arrives while effects
 * are being performed waits until they are done.
 */
export const runMachine = <State extends { readonly name: string }, Input>(
  machine: Machine<State, Input>,
): RunningMachine<State, Input> => {
  // Not `machine` itself, whose first step names messages that need not stay in memory as long as its timers.
  const { step, wakeAfter, onTerminated } = machine;
  const performOutward = machine.perform;
  const timers = new Map<TimerName, () => void>();
  const waiting: (Input | TimerInput)[] = [];
  let state = machine.start.next;
  let busy = false;
  let stopped = false;

  const clear = (timer: TimerName): void => {
    timers.get(timer)?.();
    timers.delete(timer);
  };

  const stop = (): void => {
    stopped = true;
    for (const timer of [...timers.keys()]) clear(timer);
  };

  const set = (timer: TimerName, afterMs: number): void => {
    clear(timer);
    const fire = (): void => {
      timers.delete(timer);
      input({ kind: 'timer', timer });
    };
    timers.set(timer, wakeAfter(afterMs, fire));
  };

  const perform = (effect: Effect): void => {
    if (effect.kind === 'set-timer') set(effect.timer, effect.afterMs);
    else if (effect.kind === 'clear-timer') clear(effect.timer);
    else performOutward(effect);
  };

  const take = ({ next, effects }: Step<State>): void => {
    state = next;
    for (const effect of effects) if (!stopped) perform(effect);
    if (state.name !== 'terminated' || stopped) return;
    stop();
    onTerminated?.();
  };

  const drain = (): void => {
    for (let next = waiting.shift(); next !== undefined && !stopped; next = waiting.shift()) {
      take(step(state, next));
    }
  };

  const enter = (first: Step<State> | null): void => {
    busy = true;
    try {
      if (first) take(first);
      drain();
    } finally {
      busy = false;
    }
  };

  const input = (next: Input | TimerInput): void => {
    if (stopped) return;
    waiting.push(next);
    if (!busy) enter(null);
  };

  enter(machine.start);
  return { state: () => state, input, stop };
};
