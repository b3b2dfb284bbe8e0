import type { WakeAfter } from '../domain/ports.ts';
import type { TrunkState } from '../domain/trunk.ts';
import type { ProbeTarget } from './probe.ts';

/** One address that is asked again and again whether it is there. */
export interface PeerWatch {
  /** `unknown` until the first answer, or the first one missed. */
  state(): TrunkState;
  stop(): void;
}

export const ASK_DOWN_EVERY_MS = 5_000;
export const ASK_UP_EVERY_MS = 30_000;

/** Asks at once, then every 5 s while down and every 30 s while up. `onChange` hears of every new state. */
export const watchPeer = (options: {
  readonly target: ProbeTarget;
  /** Answers within 5 s; never rejects. */
  readonly probe: (target: ProbeTarget) => Promise<boolean>;
  readonly wakeAfter: WakeAfter;
  readonly onChange: (state: TrunkState) => void;
}): PeerWatch => {
  let state: TrunkState = 'unknown';
  let isStopped = false;
  let cancelNext = (): void => undefined;

  const askAfter = (delayMs: number): void => {
    cancelNext();
    cancelNext = options.wakeAfter(delayMs, () => void ask());
  };

  const learn = (next: TrunkState): void => {
    if (state === next) return;
    state = next;
    options.onChange(next);
  };

  const ask = async (): Promise<void> => {
    // Counted from the question, so that a target which lets it time out is still asked every 5 s.
    askAfter(ASK_DOWN_EVERY_MS);
    const isUp = await options.probe(options.target);
    if (isStopped) return;
    if (isUp) askAfter(ASK_UP_EVERY_MS);
    learn(isUp ? 'up' : 'down');
  };

  void ask();
  return {
    state: () => state,
    stop: () => {
      isStopped = true;
      cancelNext();
    },
  };
};
