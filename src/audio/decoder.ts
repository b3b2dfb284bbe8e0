import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/app-error.ts';
import type { Log } from '../domain/ports.ts';
import type { Container } from './container.ts';
import { DECODED_BYTES_PER_SECOND, decodeArguments } from './decode-arguments.ts';
import { type DecoderProgram, type DecoderResult, runDecoder } from './decoder-process.ts';
import { notAudio } from './not-audio.ts';

const TIME_LIMIT_MS = 120_000;

/** Signals that somebody sends; all others a program brings upon itself. */
const SIGNALS_FROM_OUTSIDE: ReadonlySet<string | null> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']);

/** What /bin/sh exits with if it cannot find or run the program (POSIX XCU 2.8.2). */
const CANNOT_RUN: ReadonlySet<number | null> = new Set([126, 127]);

/** Why the decoder failed through no fault of the file; null if it did not. */
const disturbanceOf = ({ end, exitCode, signal }: DecoderResult): string | null => {
  if (end === 'not_started' || CANNOT_RUN.has(exitCode)) return 'The decoder could not be started; try again later.';
  if (end === 'timed_out') return 'Decoding took too long; try again later.';
  return SIGNALS_FROM_OUTSIDE.has(signal) ? 'Decoding was interrupted; try again.' : null;
};

const judge = (result: DecoderResult, maxSeconds: number): AppError | null => {
  if (result.end === 'too_much_output') {
    return new AppError('upload_too_long', `The recording is longer than the ${maxSeconds} seconds that are allowed.`);
  }
  const disturbance = disturbanceOf(result);
  if (disturbance !== null) return new AppError('ingest_busy', disturbance);
  if (result.exitCode !== 0) return notAudio('The file is damaged, or holds no audio that can be decoded.');
  if (result.output.length === 0) return notAudio('The file holds no sound.');
  return null;
};

const samplesOf = (octets: Buffer): Int16Array => {
  const samples = new Int16Array(octets.length >> 1);
  for (let i = 0; i < samples.length; i++) samples[i] = octets.readInt16LE(i * 2);
  return samples;
};

/**
 * Decodes a file to 16-bit mono samples at 8 kHz, at most `maxSeconds` of them. Throws `not_audio`,
 * `upload_too_long`, or `ingest_busy` if the decoder failed through no fault of the file.
 */
export type Decode = (path: string, demuxer: Container['demuxer'], maxSeconds: number) => Promise<Int16Array>;

export const createDecode = (options: { program: DecoderProgram; scratchDirectory: string; log: Log }): Decode => {
  const { program, scratchDirectory, log } = options;

  const run = async (path: string, directory: string, args: readonly string[], maxOutputBytes: number) => {
    const file = await open(path);
    try {
      const limits = { maxOutputBytes, timeLimitMs: TIME_LIMIT_MS };
      return await runDecoder(program, { arguments: args, directory, input: file.fd, ...limits });
    } finally {
      await file.close();
    }
  };

  return async (path, demuxer, maxSeconds) => {
    const directory = await mkdtemp(join(scratchDirectory, 'decode-'));
    try {
      const args = decodeArguments(demuxer, maxSeconds);
      const result = await run(path, directory, args, maxSeconds * DECODED_BYTES_PER_SECOND);
      const { output, ...ending } = result;
      log.debug({ demuxer, outputBytes: output.length, ...ending }, 'decoder ended');
      const refusal = judge(result, maxSeconds);
      if (refusal) throw refusal;
      return samplesOf(output);
    } finally {
      await rm(directory, { recursive: true });
    }
  };
};
