/**
 * Who is next, fairly: weighted fair queueing by virtual time. Whoever is served is charged 1 / weight, and the one that
 * was charged least is next. Among those that always wait, charges differ by at most the cost of one turn; who comes back
 * after a while is taken to be no further behind than that, so that nobody saves up turns.
 */
export interface InTurn {
  readonly charged: number;
  readonly weight: number;
}

/** The one whose turn it is, undefined if there is none. Of equals the one that was charged least in all, then the first. */
export const nextInTurn = <T extends InTurn>(waiting: readonly T[], all: readonly T[] = waiting): T | undefined => {
  const floor = floorOf(all);
  const at = ({ charged }: InTurn): number => Math.max(charged, floor);
  return waiting.reduce<T | undefined>((best, one) => {
    if (!best) return one;
    const later = at(one) - at(best) || one.charged - best.charged;
    return later < 0 ? one : best;
  }, undefined);
};

/** What `one` is charged in all after one more turn among `all`. */
export const chargedNext = (one: InTurn, all: readonly InTurn[]): number =>
  Math.max(one.charged, floorOf(all)) + 1 / one.weight;

const floorOf = (all: readonly InTurn[]): number => Math.max(...all.map(({ charged }) => charged)) - 1;
