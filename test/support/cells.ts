import type { TimerName } from '../../src/sip/machine.ts';

/** One cell of a state machine: what a state makes of an input. */
export type Row = readonly [state: string, input: string, next: string, effects: readonly string[]];

/** The names of a union, given as keys: a name that is added to the union and not here does not compile. */
export const namesOf = <N extends string>(names: Readonly<Record<N, true>>): readonly N[] => Object.keys(names) as N[];

/** The words for every kind of input of a union: a kind without words does not compile. */
export const inputsOf = <K extends string>(words: Readonly<Record<K, readonly string[]>>): readonly string[] =>
  (Object.values(words) as (readonly string[])[]).flat();

export const TIMERS = namesOf<TimerName>({
  A: true,
  B: true,
  D: true,
  E: true,
  F: true,
  G: true,
  H: true,
  I: true,
  J: true,
  K: true,
  L: true,
  M: true,
  resend: true,
  abandon: true,
});

/**
 * Every state with every input: as the rows say, and where they say nothing it must change nothing. Throws if a state
 * has no row and is none of `deaf`, or if two rows or no cell fit together.
 */
export const everyCell = (
  rows: readonly Row[],
  states: readonly string[],
  inputs: readonly string[],
  deaf: readonly string[] = ['terminated'],
): readonly Row[] => {
  const named = new Map(rows.map((row) => [`${row[0]}, ${row[1]}`, row]));
  if (named.size < rows.length) throw new Error('Two rows name the same cell.');
  const cells = states.flatMap((state) =>
    inputs.map((input): Row => named.get(`${state}, ${input}`) ?? [state, input, state, []]),
  );
  const strays = rows.filter((row) => !cells.includes(row));
  if (strays.length > 0) throw new Error(`There is no cell ${strays.join(' | ')}.`);
  const forgotten = states.filter((state) => !deaf.includes(state) && !rows.some((row) => row[0] === state));
  if (forgotten.length > 0) throw new Error(`There is no row for ${forgotten.join(', ')}.`);
  return cells;
};
