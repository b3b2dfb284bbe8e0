import type { Log } from '../../src/domain/ports.ts';

/** A log that nobody reads. */
export const QUIET_LOG: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
