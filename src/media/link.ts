import { Worker } from 'node:worker_threads';
import type { ClipAudio } from '../domain/call.ts';
import { G711_FRAME_BYTES } from '../domain/codec.ts';
import type { Log } from '../domain/ports.ts';
import { CallLink, type MediaPort } from './call-link.ts';
import type { ThreadOrder, ThreadReport, ThreadSettings } from './messages.ts';
import { createPortPool } from './port-pool.ts';

export type { EndOfVoice, MediaPort } from './call-link.ts';

/** Main side of the media thread. */
export interface MediaThread {
  /**
   * Binds an RTP port for one call and hands the clips to the thread. Rejects with a sentence for people if no port
   * can be bound, or if the thread ended meanwhile. Whoever got a port has to stop it.
   */
  prepare(order: { readonly clips: readonly ClipAudio[] }): Promise<MediaPort>;
  /** Ends the thread: nothing is sent any more, every port finishes. Idempotent. */
  close(): Promise<void>;
}

export interface MediaThreadOptions {
  /** Numeric address that RTP leaves from. */
  readonly bindAddress: string;
  /** First and last RTP port of the range, `[0, 0]` for any. */
  readonly ports: readonly [number, number];
  readonly log: Log;
  /** Module that the worker runs. */
  readonly entry?: URL;
}

/** Runs from the sources by type stripping, and from `dist/` after a build. */
const DEFAULT_ENTRY = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

const assertWholeFrames = (clips: readonly ClipAudio[]): void => {
  for (const { key, frameCount, renditions } of clips) {
    for (const [codec, frames] of Object.entries(renditions)) {
      if (frames.byteLength === frameCount * G711_FRAME_BYTES) continue;
      throw new Error(`Clip ${key} has ${frames.byteLength} octets of ${codec}, not ${frameCount} whole frames.`);
    }
  }
};

/** One run of the worker, with the calls it has in hand. Once it has ended it stays ended. */
class ThreadRun {
  readonly #worker: Worker;
  readonly #calls = new Map<number, CallLink>();
  readonly #log: Log;
  readonly #ready = Promise.withResolvers<void>();
  #lastCall = 0;
  #hasEnded = false;

  constructor(settings: ThreadSettings, entry: URL, log: Log) {
    this.#log = log;
    this.#worker = new Worker(entry, { workerData: settings, name: 'media' });
    this.#worker.on('message', (report: ThreadReport) => this.#onReport(report));
    this.#worker.on('error', (error) => this.#end(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on('exit', () => this.#end(new Error('The media thread has ended.')));
    // A run may be closed before it is ready with nobody waiting: that is no unhandled rejection.
    this.#ready.promise.catch(() => {});
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async prepare(clips: readonly ClipAudio[]): Promise<MediaPort> {
    await this.#ready.promise;
    if (this.#hasEnded) throw new Error('The media thread has ended.');
    this.#lastCall += 1;
    const call = new CallLink(this.#lastCall, clips.length, (order) => this.#post(order));
    this.#calls.set(this.#lastCall, call);
    return call.prepare(clips);
  }

  async close(): Promise<void> {
    this.#end(null);
    await this.#worker.terminate();
  }

  #post(order: ThreadOrder): void {
    if (!this.#hasEnded) this.#worker.postMessage(order);
  }

  #onReport(report: ThreadReport): void {
    if (report.type === 'ready') {
      this.#ready.resolve();
      return;
    }
    this.#calls.get(report.call)?.onReport(report);
    if (report.type === 'stopped' || report.type === 'refused') this.#calls.delete(report.call);
    if (report.type === 'send_failed') this.#log.warn(report, 'Voice packets of a call cannot be sent');
  }

  #end(cause: Error | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (cause !== null) this.#log.error({ err: cause, calls: this.#calls.size }, 'The media thread crashed');
    const error = new Error('The media thread has ended.', { cause });
    this.#ready.reject(error);
    for (const call of this.#calls.values()) call.onThreadEnded(error);
    this.#calls.clear();
  }
}

/**
 * Starts the media thread. If it crashes, every call in hand finishes, the crash is logged, and the next `prepare`
 * starts the thread anew. Rejects if the port range is unusable or the thread does not come up.
 */
export const startMediaThread = async (options: MediaThreadOptions): Promise<MediaThread> => {
  // Made only to be judged: the thread has its own, and could not tell what is wrong with the range this early.
  createPortPool(options.ports);
  const settings: ThreadSettings = { bindAddress: options.bindAddress, ports: options.ports };
  const start = (): ThreadRun => new ThreadRun(settings, options.entry ?? DEFAULT_ENTRY, options.log);
  let run = start();
  let isClosed = false;
  await run.ready;

  return {
    async prepare({ clips }) {
      assertWholeFrames(clips);
      if (isClosed) throw new Error('The media thread is closed.');
      if (run.hasEnded) run = start();
      return run.prepare(clips);
    },
    async close() {
      isClosed = true;
      await run.close();
    },
  };
};
