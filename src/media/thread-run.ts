import { closeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Log, WakeAfter } from '../domain/ports.ts';
import { CallLink, type MediaPort, PORT_TAKEN } from './call-link.ts';
import { ClipNumbers } from './clip-numbers.ts';
import { countersOf, createCountersMemory, MAX_CLIPS_PER_CALL } from './counters.ts';
import { createDescriptorMemory, descriptorsOf } from './descriptors.ts';
import {
  MAX_CALLS_PER_THREAD,
  type SharedMemory,
  type SocketKind,
  type ThreadOrder,
  type ThreadReport,
  type ThreadSettings,
} from './messages.ts';
import type { Playlist } from './playlist.ts';
import type { PortPool } from './port-pool.ts';
import { createVitalsMemory, readBeat, readOverloaded } from './vitals.ts';
import { startWatchdog } from './watchdog.ts';

export interface ThreadRunOptions {
  /** Numeric address that RTP leaves from. */
  readonly bindAddress: string;
  readonly sockets: SocketKind;
  readonly pool: PortPool;
  /** Module that the worker runs. */
  readonly entry: URL;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly wakeAfter: WakeAfter;
}

/** It makes little garbage; V8 would let that lie until it has tens of megabytes. */
const LIMITS = { maxYoungGenerationSizeMb: 1 };

const createMemory = (): SharedMemory => ({
  wake: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
  vitals: createVitalsMemory(),
  descriptors: createDescriptorMemory(MAX_CALLS_PER_THREAD),
  counters: createCountersMemory(MAX_CALLS_PER_THREAD),
});

/** One run of the worker, with the calls it has in hand. Once it has ended it stays ended. */
export class ThreadRun {
  readonly #options: ThreadRunOptions;
  readonly #memory = createMemory();
  readonly #wake = new Int32Array(this.#memory.wake);
  readonly #worker: Worker;
  /** By their rows. */
  readonly #calls = new Map<number, CallLink>();
  readonly #freeRows: number[] = [];
  readonly #counters = countersOf(this.#memory.counters, MAX_CALLS_PER_THREAD);
  readonly #clips = new ClipNumbers((order) => this.#post(order));
  readonly #ready = Promise.withResolvers<void>();
  #endWatch = (): void => {};
  #rowsUsed = 0;
  #cause: Error | null = new Error('The media thread has ended.');
  #hasEnded = false;

  constructor(options: ThreadRunOptions) {
    this.#options = options;
    const { bindAddress, sockets, entry } = options;
    const workerData: ThreadSettings = { bindAddress, sockets, memory: this.#memory };
    this.#worker = new Worker(entry, { workerData, name: 'media', resourceLimits: LIMITS });
    this.#worker.on('message', (report: ThreadReport) => this.#onReport(report));
    this.#worker.on('error', (error) => {
      this.#cause = error instanceof Error ? error : new Error(String(error));
    });
    this.#worker.on('exit', () => this.#end());
    // A run may be closed before it is ready with nobody waiting: that is no unhandled rejection.
    this.#ready.promise.catch(() => {});
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Calls in hand, playing or not. */
  get calls(): number {
    return this.#calls.size;
  }

  get vitals(): SharedArrayBuffer {
    return this.#memory.vitals;
  }

  isOverloaded(): boolean {
    return readOverloaded(this.#memory.vitals);
  }

  async prepare(playlist: Playlist): Promise<MediaPort> {
    await this.#ready.promise;
    if (playlist.parts.length > MAX_CLIPS_PER_CALL) throw new Error(TOO_MANY_CLIPS);
    for (;;) {
      if (this.#hasEnded) throw new Error('The media thread has ended.');
      if (this.#calls.size >= MAX_CALLS_PER_THREAD) throw new Error(NO_ROW);
      const port = this.#options.pool.take();
      if (port === null) throw new Error(NO_PORT);
      const opened = await this.#open(port, playlist);
      if (opened !== PORT_TAKEN) return opened;
      if (port === 0) throw new Error('The system has no two free ports next to each other for RTP and RTCP.');
    }
  }

  async close(): Promise<void> {
    this.#cause = null;
    await this.#worker.terminate();
    this.#end();
  }

  async #open(port: number, playlist: Playlist): Promise<MediaPort | typeof PORT_TAKEN> {
    const row = this.#takeRow();
    const call = new CallLink(row, playlist, this.#counters, (order) => this.#post(order));
    const giveBack = (): void => {
      this.#calls.delete(row);
      this.#freeRows.push(row);
      this.#clips.release(playlist.parts);
      this.#options.pool.release(port);
    };
    this.#calls.set(row, call);
    try {
      const opened = await call.open(port, this.#clips.hold(playlist.parts));
      if (opened === PORT_TAKEN) giveBack();
      else call.stopped.then(giveBack);
      return opened === PORT_TAKEN ? opened : call.mediaPort(opened);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  #takeRow(): number {
    const free = this.#freeRows.pop();
    if (free !== undefined) return free;
    this.#rowsUsed += 1;
    return this.#rowsUsed - 1;
  }

  #post(order: ThreadOrder): void {
    if (this.#hasEnded) return;
    this.#worker.postMessage(order);
    Atomics.add(this.#wake, 0, 1);
    Atomics.notify(this.#wake, 0);
  }

  #onReport(report: ThreadReport): void {
    if (report.type === 'ready') {
      this.#onReady(report.fallback);
      return;
    }
    this.#calls.get(report.call)?.onReport(report);
    if (report.type === 'send_failed') this.#options.log.warn(report, 'Voice packets of a call cannot be sent');
  }

  #onReady(fallback: string | null): void {
    const { log, nowMs, wakeAfter } = this.#options;
    if (fallback !== null) log.info({}, fallback);
    this.#endWatch = startWatchdog({
      readBeat: () => readBeat(this.#memory.vitals),
      onHung: () => this.#kill(),
      nowMs,
      wakeAfter,
    });
    this.#ready.resolve();
  }

  #kill(): void {
    this.#cause = new Error('The media thread hung for five seconds.');
    void this.#worker.terminate();
  }

  /** The worker is gone: what it held is closed here. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#endWatch();
    descriptorsOf(this.#memory.descriptors).closeAll(closeSync);
    const cause = this.#cause;
    if (cause !== null) this.#options.log.error({ err: cause, calls: this.#calls.size }, 'The media thread crashed');
    const error = new Error('The media thread has ended.', { cause });
    this.#ready.reject(error);
    for (const call of this.#calls.values()) call.onThreadEnded(error);
  }
}

const TOO_MANY_CLIPS = `A call plays ${MAX_CLIPS_PER_CALL} clips at most, silences between them included.`;
const NO_ROW = `The media thread has its ${MAX_CALLS_PER_THREAD} calls: set RINGCAST_MEDIA_THREADS higher.`;
const NO_PORT =
  'Every RTP port is in use or was until a minute ago: widen RINGCAST_RTP_PORTS, or allow fewer calls at once.';
