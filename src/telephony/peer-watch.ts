import type { WakeAfter } from '../domain/ports.ts';
import type { LocateTarget } from '../sip/server-location.ts';
import type { ProbeResult } from './probe.ts';

/** `unknown` until the first answer, or the first one missed. */
export type PeerHealth = ProbeResult['health'] | 'unknown';

/** One target that is asked again and again whether it is there. */
export interface PeerWatch {
  health(): PeerHealth;
  /** Why it, or one of its addresses, could not be asked; null if it could. */
  problem(): string | null;
  /** A call got no answer there: it counts as down from now on, and is asked at once. */
  doubt(): void;
  stop(): void;
}

export const ASK_DOWN_EVERY_MS = 5_000;
export const ASK_UP_EVERY_MS = 30_000;
/** A peer that wants to be left alone is asked no later than this. */
export const LONGEST_ASK_PAUSE_MS = 300_000;

/** Asks at once, then every 5 s while down and every 30 s while up. `onChange` hears of every new state. */
export const watchPeer = (options: {
  readonly target: LocateTarget;
  /** Answers in bounded time; never rejects. */
  readonly probe: (target: LocateTarget) => Promise<ProbeResult>;
  readonly wakeAfter: WakeAfter;
  readonly onChange: (health: PeerHealth) => void;
}): PeerWatch => {
  let health: PeerHealth = 'unknown';
  let problem: string | null = null;
  let isStopped = false;
  let isAsking = false;
  let cancelNext = (): void => undefined;

  const askAfter = (delayMs: number): void => {
    cancelNext();
    cancelNext = options.wakeAfter(delayMs, () => void ask());
  };

  const learn = (next: PeerHealth): void => {
    if (health === next) return;
    health = next;
    options.onChange(next);
  };

  const ask = async (): Promise<void> => {
    // Counted from the question, so that a target which lets it time out is still asked every 5 s.
    askAfter(ASK_DOWN_EVERY_MS);
    if (isAsking) return;
    isAsking = true;
    const { health: found, retryAfterMs, problem: foundProblem } = await options.probe(options.target);
    isAsking = false;
    if (isStopped) return;
    if (found !== 'down') askAfter(ASK_UP_EVERY_MS);
    else if (retryAfterMs !== null) askAfter(Math.min(Math.max(retryAfterMs, ASK_DOWN_EVERY_MS), LONGEST_ASK_PAUSE_MS));
    problem = foundProblem;
    learn(found);
  };

  void ask();
  return {
    health: () => health,
    problem: () => problem,
    doubt: () => {
      if (isStopped) return;
      learn('down');
      void ask();
    },
    stop: () => {
      isStopped = true;
      cancelNext();
    },
  };
};
