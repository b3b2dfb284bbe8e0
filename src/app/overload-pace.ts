const SECONDS = 60;

/** How fast calls are dialled while overload holds others back, measured over the last minute. */
export interface OverloadPace {
  noteDialled(calls: number): void;
  /** Calls were held back. */
  noteHeld(): void;
  /** Nothing is due any more: what was held back has been dialled. */
  noteNothingDue(): void;
  /** Calls dialled in the last minute; null unless calls were held back and always due for as long as that. */
  callsPerMinute(): number | null;
}

export const createOverloadPace = (monotonicMs: () => number): OverloadPace => {
  const dialledIn = new Uint32Array(SECONDS);
  let second = secondOf(monotonicMs());
  let heldSinceMs: number | null = null;

  /** Forgets the seconds that are a minute old by now. */
  const turn = (): void => {
    const now = secondOf(monotonicMs());
    for (let at = Math.max(second + 1, now - SECONDS + 1); at <= now; at++) dialledIn[at % SECONDS] = 0;
    second = now;
  };

  return {
    noteDialled(calls) {
      turn();
      const at = second % SECONDS;
      dialledIn[at] = (dialledIn[at] ?? 0) + calls;
    },
    noteHeld() {
      heldSinceMs ??= monotonicMs();
    },
    noteNothingDue() {
      heldSinceMs = null;
    },
    callsPerMinute() {
      if (heldSinceMs === null || monotonicMs() - heldSinceMs < SECONDS * 1000) return null;
      turn();
      return dialledIn.reduce((sum, calls) => sum + calls, 0);
    },
  };
};

const secondOf = (ms: number): number => Math.floor(ms / 1000);
