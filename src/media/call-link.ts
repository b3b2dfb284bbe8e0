import type { ClipAudio } from '../domain/call.ts';
import { createCounters, readFramesSent, readPacketsSent } from './counters.ts';
import type { PlayTarget, SharedClip, ThreadOrder, ThreadReport } from './messages.ts';

/** How a voice ended: after the 20 ms of its last frame, or before, by a stop or with the thread. */
export type EndOfVoice = 'played' | 'broken-off';

/** The media of one call, seen from the main thread. */
export interface MediaPort {
  /** Local RTP port. */
  readonly port: number;
  /**
   * Sends the first packet at once, then a frame every 20 ms by absolute monotonic deadlines, clips back to back.
   * Only the first `play` of a port counts.
   */
  play(to: PlayTarget): void;
  /** The peer moved or wants another codec: from the next packet on, media goes there, as that. */
  redirect(to: PlayTarget): void;
  /** The peer is on hold and does not listen. A port without it lets the voice run on. */
  hold?(): void;
  /** The peer listens again. */
  resume?(): void;
  /**
   * Settles when the last frame was sent and its 20 ms are over, when the port is stopped, or when the thread ended.
   * Frames that the kernel did not take are missing from `framesSent` only. Never rejects.
   */
  readonly finished: Promise<EndOfVoice>;
  /** Frames that the kernel took, of each clip, read live. */
  framesSent(): readonly number[];
  packetsSent(): number;
  /** After it no packet leaves and the port is released. Idempotent; never rejects. */
  stop(): Promise<void>;
}

const shared = ({ frameCount, renditions }: ClipAudio): SharedClip => ({ frameCount, renditions });

/** What the link knows of one call; turns the thread's reports into promises. */
export class CallLink {
  readonly #call: number;
  readonly #post: (order: ThreadOrder) => void;
  readonly #counters: Int32Array<SharedArrayBuffer>;
  readonly #prepared = Promise.withResolvers<MediaPort>();
  readonly #finished = Promise.withResolvers<EndOfVoice>();
  readonly #stopped = Promise.withResolvers<void>();

  constructor(call: number, clipCount: number, post: (order: ThreadOrder) => void) {
    this.#call = call;
    this.#post = post;
    this.#counters = createCounters(clipCount);
  }

  prepare(clips: readonly ClipAudio[]): Promise<MediaPort> {
    const order = { call: this.#call, clips: clips.map(shared), counters: this.#counters.buffer };
    this.#post({ type: 'prepare', ...order });
    return this.#prepared.promise;
  }

  onReport(report: Exclude<ThreadReport, { type: 'ready' }>): void {
    if (report.type === 'prepared') this.#prepared.resolve(this.#portAt(report.port));
    if (report.type === 'refused') this.#prepared.reject(new Error(report.reason));
    if (report.type === 'finished') this.#finished.resolve('played');
    if (report.type === 'stopped') this.#settle();
  }

  /** The thread is gone, and the sockets with it. */
  onThreadEnded(error: Error): void {
    this.#prepared.reject(error);
    this.#settle();
  }

  #settle(): void {
    this.#finished.resolve('broken-off');
    this.#stopped.resolve();
  }

  #portAt(port: number): MediaPort {
    const call = this.#call;
    return {
      port,
      // Only what the thread needs: whatever else the caller's object holds might not be fit to cross.
      play: ({ address, port, payloadType, codec }) =>
        this.#post({ type: 'play', call, to: { address, port, payloadType, codec } }),
      redirect: ({ address, port, payloadType, codec }) =>
        this.#post({ type: 'redirect', call, to: { address, port, payloadType, codec } }),
      finished: this.#finished.promise,
      framesSent: () => readFramesSent(this.#counters),
      packetsSent: () => readPacketsSent(this.#counters),
      stop: () => {
        this.#post({ type: 'stop', call });
        return this.#stopped.promise;
      },
    };
  }
}
