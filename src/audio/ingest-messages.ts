import type { AppErrorCode } from '../domain/app-error.ts';
import type { IngestedAudio, IngestLimits, Processing } from '../domain/media.ts';
import type { DecoderProgram } from './decoder-process.ts';

/** Given to the process that ingests at its start, as JSON. */
export interface IngestSettings {
  readonly program: DecoderProgram;
  /** An existing folder; every ingest has a folder of its own in it, and leaves nothing. */
  readonly scratchDirectory: string;
  /** How long one run of FFmpeg may take. */
  readonly timeLimitMs: number;
}

export interface IngestOrder {
  /** Numbers the order; its answer has the same. */
  readonly id: number;
  readonly path: string;
  readonly limits: IngestLimits;
  readonly processing: Processing;
}

export type IngestReport =
  | { readonly type: 'done'; readonly id: number; readonly audio: IngestedAudio }
  /** Without a code it is none of the refusals that an `Ingest` throws. */
  | { readonly type: 'failed'; readonly id: number; readonly code: AppErrorCode | null; readonly reason: string }
  /** A line for the debug log. */
  | { readonly type: 'said'; readonly fields: object; readonly line: string };
