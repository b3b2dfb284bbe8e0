import { AppError } from '../domain/app-error.ts';
import type { Ingest, Log } from '../domain/ports.ts';
import { chooseDecoder, type FfmpegPath } from './choose-decoder.ts';
import { IngestRun } from './ingest-run.ts';
import { inWorkFolder } from './work-folder.ts';

const TIME_LIMIT_MS = 120_000;

export interface IngestOptions {
  /** An existing folder; every ingest has a folder of its own in it, and leaves nothing. */
  readonly scratchDirectory: string;
  readonly ffmpegPath?: FfmpegPath;
  /** How long one run of FFmpeg may take; two minutes if left out. */
  readonly timeLimitMs?: number;
  readonly log: Log;
}

/** An `Ingest` in a process of its own. */
export type RunningIngest = Ingest & {
  /** Which decoder it uses, for people. */
  readonly describeDecoder: () => string;
  /** Ends that process. Idempotent. */
  readonly close: () => Promise<void>;
};

/**
 * Chooses the decoder, once. With the first file starts a process that ingests, and another where that has ended: to
 * start a decoder is to fork, which is dear for a large program whose threads may not wait (ADR 25). Throws an Error if
 * `ffmpegPath` names a program that cannot decode.
 */
export const createIngest = async (options: IngestOptions): Promise<RunningIngest> => {
  const { scratchDirectory, ffmpegPath, timeLimitMs = TIME_LIMIT_MS, log } = options;
  const program = await inWorkFolder(scratchDirectory, ({ empty }) => chooseDecoder(ffmpegPath, empty, log));
  let run: IngestRun | null = null;

  const running = (): IngestRun => {
    try {
      if (run === null || run.hasEnded) run = new IngestRun({ program, scratchDirectory, timeLimitMs }, log);
      return run;
    } catch (error) {
      log.error({ err: error }, 'the process that decodes uploads cannot be started');
      throw new AppError('ingest_busy', 'The decoder could not be started; try again later.', { cause: error });
    }
  };
  const ingest: Ingest = async (...order) => running().ingest(...order);
  return Object.assign(ingest, {
    describeDecoder: () => program.description,
    close: async () => run?.close(),
  });
};
