import type { CallView } from './call.ts';
import type { RetryRule } from './retry.ts';
import type { Silences } from './silences.ts';

/** One request to blast, read from its form but not yet judged. */
export interface BlastRequest {
  readonly appKey: string;
  readonly networkId: string;
  /** In the order they are played, repeats included. */
  readonly mediaIds: readonly string[];
  readonly greetingId: string | null;
  readonly idempotencyKey: string | null;
}

/** A clip version pinned by a blast: what was posted is what is played. `null` twice is the built-in greeting. */
export interface PlaylistItem {
  readonly mediaId: string | null;
  readonly clipId: string | null;
  readonly frameCount: number;
}

/** What is committed before a 202. */
export interface NewBlast {
  readonly id: string;
  readonly applicationId: string;
  readonly networkId: string;
  readonly mediaIds: readonly string[];
  readonly greetingId: string | null;
  /** The greeting first, then the clips. */
  readonly playlist: readonly PlaylistItem[];
  readonly retry: RetryRule;
  readonly silences: Silences;
  /** A call not dialled within this many milliseconds of acceptance ends `expired`. */
  readonly dialWithinMs: number;
}

export type BlastState = 'active' | 'finished' | 'cancelled';

export interface BlastView {
  readonly id: string;
  readonly applicationId: string;
  readonly networkId: string;
  readonly mediaIds: readonly string[];
  readonly greetingId: string | null;
  readonly acceptedAt: number;
  readonly state: BlastState;
  readonly calls: readonly CallView[];
}
