import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program to run with the arguments of one decoding added to its own. */
export interface DecoderProgram {
  /** For people, such as `native FFmpeg 5.1 (/usr/bin/ffmpeg)`. */
  readonly description: string;
  readonly command: string;
  readonly prefix: readonly string[];
  /** Address space in KiB, or `unlimited` where the program bounds its memory by itself. */
  readonly addressSpaceKiB: number | 'unlimited';
}

export interface DecoderRun {
  readonly arguments: readonly string[];
  /** An empty folder, its working directory. */
  readonly directory: string;
  /** Descriptor of the file to read, its descriptor 0. */
  readonly input: number | 'ignore';
  /** Output beyond this many octets ends it. */
  readonly maxOutputBytes: number;
  readonly timeLimitMs: number;
}

/** How a run ended; the process is gone by then, whatever happened. */
export interface DecoderResult {
  readonly end: 'exited' | 'too_much_output' | 'timed_out' | 'not_started';
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: Buffer;
  /** The first of what it had to say, for the debug log only: it may hold paths. */
  readonly complaint: string;
}

const CPU_LIMIT_SECONDS = 60;
const MAX_COMPLAINT_BYTES = 4096;

/**
 * Sets limits that the process keeps, then becomes the program: no core file, no octet into any file, processor time
 * (SIGXCPU, a second before SIGKILL), address space. A system that lacks one of them goes without it.
 */
const LIMITED = `{ ulimit -c 0; ulimit -f 0; ulimit -H -t ${CPU_LIMIT_SECONDS + 1}; ulimit -S -t ${CPU_LIMIT_SECONDS}; ulimit -v "$0"; } 2>/dev/null; exec "$@"`;

const start = (program: DecoderProgram, run: DecoderRun): ChildProcess =>
  spawn(
    '/bin/sh',
    ['-c', LIMITED, String(program.addressSpaceKiB), program.command, ...program.prefix, ...run.arguments],
    { cwd: run.directory, env: {}, stdio: [run.input, 'pipe', 'pipe'] },
  );

/** Collects what the process says, up to `maxBytes`; the rest is read and dropped, so that it never blocks. */
const collectComplaint = (child: ChildProcess): (() => string) => {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part.slice(0, MAX_COMPLAINT_BYTES - text.length);
  });
  return () => text;
};

/** Runs `program` under limits of time, memory, files and output, with an empty environment. Never rejects. */
export const runDecoder = async (program: DecoderProgram, run: DecoderRun): Promise<DecoderResult> => {
  const child = start(program, run);
  const closed = once(child, 'close');
  const complaint = collectComplaint(child);
  const parts: Buffer[] = [];
  let outputBytes = 0;
  let end: DecoderResult['end'] = 'exited';

  const kill = (reason: DecoderResult['end']): void => {
    if (end === 'exited') end = reason;
    child.kill('SIGKILL');
  };
  child.stdout?.on('data', (part: Buffer) => {
    outputBytes += part.length;
    if (outputBytes > run.maxOutputBytes) kill('too_much_output');
    else parts.push(part);
  });

  const timer = setTimeout(() => kill('timed_out'), run.timeLimitMs);
  try {
    const [exitCode, signal] = await closed;
    return { end, exitCode, signal, output: Buffer.concat(parts), complaint: complaint() };
  } catch (error) {
    return { end: 'not_started', exitCode: null, signal: null, output: Buffer.alloc(0), complaint: String(error) };
  } finally {
    clearTimeout(timer);
  }
};
