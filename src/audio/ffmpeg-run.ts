import { open } from 'node:fs/promises';
import { AppError } from '../domain/app-error.ts';
import type { Log } from '../domain/ports.ts';
import { type DecoderOutput, type DecoderProgram, type DecoderResult, runDecoder } from './decoder-process.ts';

/** Signals that somebody sends; all others a program brings upon itself. */
const SIGNALS_FROM_OUTSIDE: ReadonlySet<string | null> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']);

/** The same, as a shell tells them: 128 and SIGHUP, SIGINT, SIGKILL or SIGTERM (POSIX XCU 2.8.2). */
const CODES_FROM_OUTSIDE: ReadonlySet<number | null> = new Set([129, 130, 137, 143]);

/** What /bin/sh exits with if it cannot find or run the program (POSIX XCU 2.8.2). */
const CANNOT_RUN: ReadonlySet<number | null> = new Set([126, 127]);

/** Why the program failed through no fault of the file; null if it did not. */
const disturbanceOf = ({ end, exitCode, signal }: DecoderResult): string | null => {
  if (end === 'too_much_output') return null;
  if (end === 'not_started' || CANNOT_RUN.has(exitCode)) return 'The decoder could not be started; try again later.';
  if (end === 'timed_out') return 'Decoding took too long; try again later.';
  const isEnded = SIGNALS_FROM_OUTSIDE.has(signal) || CODES_FROM_OUTSIDE.has(exitCode);
  return isEnded ? 'Decoding was interrupted; try again.' : null;
};

const onDisk = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return isFull ? new AppError('disk_full', 'The disk is full.', { cause: error }) : error;
};

export interface FfmpegOrder {
  readonly path: string;
  readonly arguments: readonly string[];
  /** An empty folder, its working directory. */
  readonly directory: string;
  readonly outputs: readonly DecoderOutput[];
}

/**
 * Runs FFmpeg on one file. Throws `ingest_busy` if it failed through no fault of the file, `disk_full` if what it
 * wrote finds no room; how it ended otherwise is for the caller to judge.
 */
export type RunFfmpeg = (order: FfmpegOrder) => Promise<DecoderResult>;

export const createRunFfmpeg =
  (program: DecoderProgram, log: Pick<Log, 'debug'>, timeLimitMs: number): RunFfmpeg =>
  async ({ path, ...order }) => {
    const file = await open(path);
    try {
      const result = await runDecoder(program, { ...order, input: file.fd, timeLimitMs });
      log.debug({ arguments: order.arguments, ...result }, 'decoder ended');
      const disturbance = disturbanceOf(result);
      if (disturbance !== null) throw new AppError('ingest_busy', disturbance);
      return result;
    } catch (error) {
      throw onDisk(error);
    } finally {
      await file.close();
    }
  };
