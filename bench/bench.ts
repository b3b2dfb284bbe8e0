/** A measurement with its baseline from the same run. */
export interface Bench {
  readonly summary: string;
  /** Names of its options, each with a value: `--NAME VALUE`. */
  readonly options?: readonly string[];
  /** Measures; throws if what was measured did not do what it says (a lost row is no speed). */
  run(options: BenchOptions): Promise<BenchReport>;
}

/** Values of the options that were given. */
export type BenchOptions = Readonly<Record<string, string | undefined>>;

export interface BenchReport {
  readonly rows: readonly BenchRow[];
  /** Sentences below the table: what was checked, what was aimed at. */
  readonly notes: readonly string[];
}

/** Named figures, their units in their names; every row of a table has the same names. */
export type BenchRow = Readonly<Record<string, string | number>>;
