/** Where a packet stands in its stream. */
export interface Place {
  /** Sequence number carried on past 65,535, so that it orders the whole stream (RFC 3550 A.1). */
  readonly extended: number;
  /** `late`: a packet with a higher number came before. `duplicate`: this very one did. */
  readonly kind: 'next' | 'late' | 'duplicate';
}

/** How far back duplicates are remembered; what is older still is taken for one. */
const WINDOW = 1_024;

/** Puts the packets of one stream in order as they come. */
export const createSequenceTracker = (): ((sequence: number) => Place) => {
  const seen = new Set<number>();
  let highest: number | null = null;

  const remember = (extended: number): void => {
    seen.add(extended);
    const [oldest] = seen;
    if (seen.size > WINDOW && oldest !== undefined) seen.delete(oldest);
  };

  return (sequence) => {
    const before: number = highest ?? sequence;
    // The nearest of the numbers that end in these 16 bits: a difference of up to 32,767 either way.
    const extended = before + (((sequence - before) << 16) >> 16);
    if (seen.has(extended) || extended <= before - WINDOW) return { extended, kind: 'duplicate' };
    remember(extended);
    highest = Math.max(before, extended);
    return { extended, kind: extended < before ? 'late' : 'next' };
  };
};
