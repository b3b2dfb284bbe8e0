import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fchmodSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Isolation } from './isolation.ts';

/** A program to run with the arguments of one decoding added to its own. */
export interface DecoderProgram {
  /** For people, such as `native FFmpeg 5.1 (/usr/bin/ffmpeg)`. */
  readonly description: string;
  readonly command: string;
  readonly prefix: readonly string[];
  /** Memory that it may write to, in KiB, or `unlimited` where the program bounds its memory by itself. */
  readonly dataKiB: number | 'unlimited';
  readonly isolation: Isolation;
  /** How many may run at once, so that they and the server stay below 512 MB. */
  readonly atOnce: number;
}

/** Where one output goes. */
export interface DecoderOutput {
  /** More octets than these end the process. */
  readonly maxBytes: number;
  /** The process waits while this does. If it fails, the process is ended and the run rejects with its error. */
  write(part: Buffer): void | Promise<void>;
}

export interface DecoderRun {
  readonly arguments: readonly string[];
  /** An empty folder, its working directory. */
  readonly directory: string;
  /** Descriptor of the file to read, its descriptor 0. */
  readonly input: number | 'ignore';
  /** What its descriptor 1 writes, then 3, 4 and so on. */
  readonly outputs: readonly DecoderOutput[];
  readonly timeLimitMs: number;
}

/** How a run ended; the process and what it started are gone or killed by then, whatever happened. */
export interface DecoderResult {
  readonly end: 'exited' | 'too_much_output' | 'timed_out' | 'not_started';
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The first of what it had to say, for the debug log only: it may hold paths. */
  readonly complaint: string;
}

const CPU_LIMIT_SECONDS = 60;
const MAX_COMPLAINT_BYTES = 4096;

/**
 * Sets limits that the process keeps, then runs it at low priority: no core file, no octet into any file,
 * processor time (SIGXCPU, a second before SIGKILL), open files, memory, processes (`-u` or, in some shells, `-p`).
 * A system that lacks one of them goes without it. The shell stays: it tells a signal as 128 and its number, which
 * `unshare` of util-linux 2.38 does not (a program killed by SIGKILL ends with 1).
 */
const LIMITED = [
  'ulimit -c 0; ulimit -f 0; ulimit -n 64',
  `ulimit -H -t ${CPU_LIMIT_SECONDS + 1}; ulimit -S -t ${CPU_LIMIT_SECONDS}`,
  '[ "$0" = unlimited ] || { ulimit -d "$0"; ulimit -v 1048576; }',
  '[ "$1" = unlimited ] || ulimit -u "$1" || ulimit -p "$1"',
];
const LIMITING = `{ ${LIMITED.join('; ')}; } 2>/dev/null; shift; nice -n 10 "$@"; exit $?`;

const commandOf = ({ isolation, dataKiB, command, prefix }: DecoderProgram): readonly [string, ...string[]] => {
  const limits = [String(dataKiB), String(isolation.maxProcesses)];
  const [first = '/bin/sh', ...rest] = [...isolation.command, '/bin/sh', '-c', LIMITING, ...limits, command, ...prefix];
  return [first, ...rest];
};

/** A process group of its own, so that all of it can be killed. */
const start = (program: DecoderProgram, run: DecoderRun): ChildProcess => {
  // The program opens its input anew; the folder that it lies in is for this user only.
  if (program.isolation.isStranger && run.input !== 'ignore') fchmodSync(run.input, 0o644);
  const [command, ...prefix] = commandOf(program);
  return spawn(command, [...prefix, ...run.arguments], {
    cwd: run.directory,
    env: {},
    detached: true,
    stdio: [run.input, 'pipe', 'pipe', ...run.outputs.slice(1).map(() => 'pipe' as const)],
  });
};

/** Kills the process and all that it started. */
const killGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: they are gone already
  }
};

/** Keeps what one output writes, in memory. */
export const collectOutput = (maxBytes: number): { output: DecoderOutput; octets: () => Buffer } => {
  const parts: Buffer[] = [];
  return { output: { maxBytes, write: (part) => void parts.push(part) }, octets: () => Buffer.concat(parts) };
};

/** Collects what the process says, up to `maxBytes`; the rest is read and dropped, so that it never blocks. */
const collectComplaint = (child: ChildProcess): (() => string) => {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part.slice(0, MAX_COMPLAINT_BYTES - text.length);
  });
  return () => text;
};

/** Hands on what one descriptor writes. Calls `onSurplus` instead once that is more than allowed. */
const drain = async (stream: Readable, { maxBytes, write }: DecoderOutput, onSurplus: () => void): Promise<void> => {
  let bytes = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) onSurplus();
    else await write(part);
  }
};

const isReadable = (stream: unknown): stream is Readable => stream instanceof Readable;

/** Its outputs in the order of `DecoderRun.outputs`. */
const readablesOf = (child: ChildProcess): readonly Readable[] =>
  [child.stdout, ...child.stdio.slice(3)].filter(isReadable);

/**
 * Runs `program` under limits of time, memory, files and output, with an empty environment. Rejects only if an
 * output's `write` fails; the process is gone by then too.
 */
export const runDecoder = async (program: DecoderProgram, run: DecoderRun): Promise<DecoderResult> => {
  const child = start(program, run);
  const closed = once(child, 'close');
  // What it may have started would hold its pipes open.
  child.once('exit', () => killGroup(child));
  const complaint = collectComplaint(child);
  let end: DecoderResult['end'] = 'exited';

  const kill = (reason: DecoderResult['end']): void => {
    if (end === 'exited') end = reason;
    killGroup(child);
  };
  const drained = readablesOf(child).map(async (stream, index) => {
    const output = run.outputs[index];
    if (output) await drain(stream, output, () => kill('too_much_output'));
  });
  const timer = setTimeout(() => kill('timed_out'), run.timeLimitMs);
  const written = Promise.all(drained);
  written.catch(() => killGroup(child));
  try {
    const [exitCode, signal] = await closed;
    await written;
    return { end, exitCode, signal, complaint: complaint() };
  } catch (error) {
    if (child.pid !== undefined) throw error;
    return { end: 'not_started', exitCode: null, signal: null, complaint: String(error) };
  } finally {
    clearTimeout(timer);
  }
};
