import { type Logger, pino } from 'pino';
import type { LogLevel } from './config-settings.ts';
import { createLogWriter } from './log-writer.ts';

const standardError = createLogWriter(2, (lines) => {
  const msg = `${lines} log lines were dropped: the reader of standard error is too slow`;
  return `${JSON.stringify({ level: pino.levels.values.warn, time: new Date().toISOString(), msg })}\n`;
});

/** Structured log on standard error, which never blocks a call and never ends the process, nor keeps it from ending. */
export const createLog = (level: LogLevel): Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, standardError);
