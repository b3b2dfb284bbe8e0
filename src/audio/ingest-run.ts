import { type ChildProcess, fork } from 'node:child_process';
import { AppError } from '../domain/app-error.ts';
import type { IngestedAudio } from '../domain/media.ts';
import type { Ingest, Log } from '../domain/ports.ts';
import type { IngestOrder, IngestReport, IngestSettings } from './ingest-messages.ts';
import { removeWorkFolders } from './work-folder.ts';

/** Runs from the sources by type stripping, and from `dist/` after a build. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './ingest-child.ts' : './ingest-child.js', import.meta.url);

/**
 * It is alone with large arrays: without these it would keep tens of megabytes that it needs no more (V8's young
 * generation, an arena of glibc's malloc for each thread).
 */
const FRUGAL = { execArgv: ['--max-semi-space-size=1'], env: { MALLOC_ARENA_MAX: '1' } };

/** One run of the process that ingests, with the orders it has in hand. Once it has ended it stays ended. */
export class IngestRun {
  readonly #scratchDirectory: string;
  readonly #log: Log;
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, PromiseWithResolvers<IngestedAudio>>();
  readonly #gone = Promise.withResolvers<void>();
  #orders = 0;
  #isClosed = false;
  #hasEnded = false;

  /** Throws what `fork` does where the system has no room for a process; not all of that comes at once. */
  constructor(settings: IngestSettings, log: Log) {
    this.#scratchDirectory = settings.scratchDirectory;
    this.#log = log;
    this.#child = fork(ENTRY, [JSON.stringify(settings)], {
      ...FRUGAL,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', (report: IngestReport) => this.#onReport(report));
    this.#child.on('error', (error) => this.#end({ err: error }, 'The decoder could not be started; try again later.'));
    this.#child.on('exit', (code, signal) => this.#end({ code, signal }, 'Decoding was interrupted; try again.'));
    this.#letExit();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Of the process; undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  readonly ingest: Ingest = (path, limits, processing) => {
    const id = this.#orders++;
    const answer = Promise.withResolvers<IngestedAudio>();
    this.#answers.set(id, answer);
    this.#keepAlive();
    const order: IngestOrder = { id, path, limits, processing };
    // An order that cannot be sent is answered when the end of the process is told, which is about to be.
    if (this.#child.connected) this.#child.send(order, () => {});
    return answer.promise;
  };

  /** Ends the process and its decoders; what it had in hand is interrupted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await this.#gone.promise;
  }

  #keepAlive(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  /** Without an answer to wait for, it is no reason for this program to go on. */
  #letExit(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #onReport(report: IngestReport): void {
    if (report.type === 'said') {
      this.#log.debug(report.fields, report.line);
      return;
    }
    const answer = this.#answers.get(report.id);
    this.#answers.delete(report.id);
    if (this.#answers.size === 0) this.#letExit();
    if (report.type === 'done') answer?.resolve(report.audio);
    else answer?.reject(report.code === null ? new Error(report.reason) : new AppError(report.code, report.reason));
  }

  #end(how: object, sentence: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (!this.#isClosed)
      this.#log.error(how, 'the process that decodes uploads has ended; the next upload starts another');
    for (const { reject } of this.#answers.values()) reject(new AppError('ingest_busy', sentence));
    this.#answers.clear();
    this.#gone.resolve(this.#tidy());
  }

  async #tidy(): Promise<void> {
    try {
      if (this.pid !== undefined) await removeWorkFolders(this.#scratchDirectory, this.pid);
    } catch (error) {
      this.#log.warn({ err: error }, 'what a decoder left could not be removed');
    }
  }
}
