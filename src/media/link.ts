import type { ClipAudio } from '../domain/call.ts';
import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Silences } from '../domain/silences.ts';
import type { MediaPort } from './call-link.ts';
import { MAX_CALLS_PER_THREAD, type SocketKind } from './messages.ts';
import { createPlaylist } from './playlist.ts';
import { createPortPool } from './port-pool.ts';
import { ThreadRun, type ThreadRunOptions } from './thread-run.ts';
import { type Lateness, readLateness } from './vitals.ts';

export type { EndOfVoice, MediaPort } from './call-link.ts';
export type { PlayTarget, SocketKind } from './messages.ts';
export type { PlaceInPlaylist } from './playlist.ts';
export type { Lateness } from './vitals.ts';

/** Main side of the media threads. */
export interface MediaThread {
  /**
   * Binds a pair of ports for one call and hands the clips to the thread that has the fewest calls. Rejects with a
   * sentence for people if no port can be bound, or if the thread ended meanwhile. Whoever got a port has to stop it.
   */
  prepare(order: { readonly clips: readonly ClipAudio[]; readonly silences: Silences }): Promise<MediaPort>;
  /** Calls that there can be at this moment, those in hand included: a port that rests has no place for one. */
  capacity(): number;
  /** Whether packets leave so late, on every thread, that no call should be added; see `overload.ts`. */
  isOverloaded(): boolean;
  /** How late packets left, over all calls since the threads were started; a thread that crashed begins anew. */
  lateness(): Lateness;
  /** Ends the threads: nothing is sent any more, every port finishes. Idempotent. */
  close(): Promise<void>;
}

export interface MediaThreadOptions {
  /** Numeric address that RTP leaves from. */
  readonly bindAddress: string;
  /** First and last port of the range, `[0, 0]` for any. */
  readonly ports: readonly [number, number];
  /** How many threads share the calls. */
  readonly threads: number;
  readonly sockets: SocketKind;
  readonly log: Log;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly wakeAfter: WakeAfter;
  /** Module that the workers run. */
  readonly entry?: URL;
}

/** Runs from the sources by type stripping, and from `dist/` after a build. */
const DEFAULT_ENTRY = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

/**
 * Starts the media threads. If one crashes or hangs, every call it has in hand finishes, that is logged, and the next
 * `prepare` starts it anew. Rejects if the port range is unusable or a thread does not come up.
 */
export const startMediaThread = async (options: MediaThreadOptions): Promise<MediaThread> => {
  const pool = createPortPool(options.ports, options.nowMs);
  const runOptions: ThreadRunOptions = { ...options, pool, entry: options.entry ?? DEFAULT_ENTRY };
  const runs = Array.from({ length: options.threads }, () => new ThreadRun(runOptions));
  let isClosed = false;

  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.all(runs.map((run) => run.close()));
  };
  const restartEnded = (): void => {
    for (const [place, run] of runs.entries()) if (run.hasEnded) runs[place] = new ThreadRun(runOptions);
  };

  try {
    await Promise.all(runs.map((run) => run.ready));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async prepare({ clips, silences }) {
      if (isClosed) throw new Error('The media thread is closed.');
      restartEnded();
      const run = runs.reduce((least, each) => (each.calls < least.calls ? each : least));
      return run.prepare(createPlaylist(clips, silences));
    },
    capacity() {
      const inHand = runs.reduce((calls, run) => calls + run.calls, 0);
      return Math.min(runs.length * MAX_CALLS_PER_THREAD, inHand + pool.rested());
    },
    isOverloaded: () => runs.every((run) => run.isOverloaded()),
    lateness: () => readLateness(runs.map((run) => run.vitals)),
    close,
  };
};
