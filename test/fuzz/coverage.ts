import { type Profiler, Session } from 'node:inspector';

/** Which code of src/sip has run. */
export interface Coverage {
  /** Whether code ran since the last look that no recorded input has reached. */
  isNew(): boolean;
  /** The same, and what ran is recorded. */
  record(): boolean;
  readonly size: number;
}

/** Starts V8's precise coverage of blocks in this process. */
export const startCoverage = (): Coverage => {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const seen = new Set<string>();

  const take = (): readonly Profiler.ScriptCoverage[] => {
    let scripts: readonly Profiler.ScriptCoverage[] = [];
    session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
      scripts = result;
    });
    return scripts.filter(({ url }) => url.includes('/src/sip/'));
  };

  const places = (): readonly string[] =>
    take().flatMap(({ scriptId, functions }) =>
      functions.flatMap(({ ranges }) =>
        ranges
          .filter(({ count }) => count > 0)
          .map(({ startOffset, endOffset }) => `${scriptId} ${startOffset} ${endOffset}`),
      ),
    );

  return {
    get size() {
      return seen.size;
    },
    isNew: () => places().some((place) => !seen.has(place)),
    record: () => {
      const before = seen.size;
      for (const place of places()) seen.add(place);
      return seen.size > before;
    },
  };
};
