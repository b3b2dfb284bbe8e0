import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Failure } from '../cli/failure.ts';
import { visible } from '../cli/text.ts';

/** A line of JSON that a child wrote to its standard output. */
export type Said = Readonly<Record<string, unknown>>;

/** The child was gone before it said what was waited for. */
export class EndedEarly extends Failure {}

/** A process of ours, ended by `stop` whatever happens. */
export interface Child {
  /**
   * The first line, past or to come, for which `matches` holds. Throws a Failure with the child's last log lines if
   * nothing comes in time, an EndedEarly if it ends before.
   */
  untilSaid(matches: (said: Said) => boolean, withinMs: number): Promise<Said>;
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>;
  /** SIGTERM, and after a bounded wait SIGKILL. Idempotent. */
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** What people call it: `the server`. */
  readonly name: string;
  readonly executable: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const KEPT_LOG_LINES = 8;
const KEPT_LINE_LENGTH = 300;
const KEPT_SAID = 200;
const STOP_WITHIN_MS = 5000;

/** Calls `keep` with each line and remembers the last `most` of what it returns. */
const collect = <T>(stream: Readable, most: number, keep: (line: string) => T | undefined): T[] => {
  const kept: T[] = [];
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    const item = keep(line);
    if (item !== undefined) kept.push(item);
    if (kept.length > most) kept.shift();
  });
  return kept;
};

const parseSaid = (line: string): Said | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Said) : undefined;
  } catch {
    // A line for people: nothing to act upon.
    return undefined;
  }
};

const exitOf = (process: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    process.once('close', () => resolve());
    process.once('error', () => resolve());
  });

const stopProcess = async (process: ChildProcess, exited: Promise<void>): Promise<void> => {
  if (process.exitCode !== null || process.signalCode !== null) return exited;
  process.kill('SIGTERM');
  const timer = setTimeout(() => process.kill('SIGKILL'), STOP_WITHIN_MS);
  await exited;
  clearTimeout(timer);
};

/** Starts this program again with other arguments, its output kept from the terminal. */
export const startChild = ({ name, executable, args, environment, signal }: ChildOptions): Child => {
  const process_ = spawn(process.execPath, [executable, ...args], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = exitOf(process_);
  const waiting = new Set<() => void>();
  const wakeAll = (): void => {
    for (const wake of waiting) wake();
  };
  let gone = false;
  void exited.then(() => {
    gone = true;
    wakeAll();
  });
  const log = collect(process_.stderr, KEPT_LOG_LINES, (line) => visible(line.slice(0, KEPT_LINE_LENGTH)));
  const said = collect(process_.stdout, KEPT_SAID, (line) => {
    queueMicrotask(wakeAll);
    return parseSaid(line);
  });
  const sentence = (what: string): string =>
    `${name} ${what}${log.length === 0 ? '.' : `; its last words:\n  ${log.join('\n  ')}`}`;

  const untilSaid: Child['untilSaid'] = (matches, withinMs) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new Failure(sentence('did not answer in time')))), withinMs);
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        waiting.delete(look);
        signal.removeEventListener('abort', look);
        end();
      };
      const look = (): void => {
        const found = said.find(matches);
        if (found) settle(() => resolve(found));
        else if (signal.aborted) settle(() => reject(signal.reason));
        else if (gone) settle(() => reject(new EndedEarly(sentence('ended early'))));
      };
      waiting.add(look);
      signal.addEventListener('abort', look);
      look();
    });

  return { untilSaid, exited, stop: () => stopProcess(process_, exited) };
};
