import { describe, it } from 'vitest';

/**
 * A suite that needs something of the machine. Where `lack` says what is not there and how to get it, the suite is
 * skipped with that line; in CI that is a failure.
 */
export const describeNeeding = (what: string, lack: string | null, suite: () => void): void => {
  const name = `with ${what}`;
  if (lack === null) return void describe(name, suite);
  if (process.env.CI) {
    describe(name, () => {
      it('is there', () => {
        throw new Error(lack);
      });
    });
    return;
  }
  console.warn(`Skipped the tests with ${what}: ${lack}`);
  describe.skip(name, suite);
};
