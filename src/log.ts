import { type Logger, pino } from 'pino';
import type { LogLevel } from './config-settings.ts';

/**
 * Structured log on standard error. Written asynchronously: a full pipe or disk never blocks a call, and never ends
 * the process.
 */
export const createLog = (level: LogLevel): Logger => {
  const destination = pino.destination({ fd: 2, sync: false });
  // A log that cannot be written (disk full, reader gone) must not take the calls with it.
  destination.on('error', () => undefined);
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
};
