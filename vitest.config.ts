import { defineConfig } from 'vitest/config';

const TIMEOUTS = { testTimeout: 30_000, hookTimeout: 60_000 };

/** Whole servers, real calls and real peers run one file at a time, after the rest: voice wants a core of its own. */
const WHOLE = ['test/e2e/**/*.test.ts', 'test/interop/**/*.test.ts', 'test/chaos/**/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: 'test/support/postgres-starter.ts',
    projects: [
      {
        test: {
          name: 'parts',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: WHOLE,
          sequence: { groupOrder: 0 },
          ...TIMEOUTS,
        },
      },
      { test: { name: 'whole', include: WHOLE, fileParallelism: false, sequence: { groupOrder: 1 }, ...TIMEOUTS } },
    ],
  },
});
