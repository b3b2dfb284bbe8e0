/**
 * The media thread. It alone sends voice, so that a busy main thread is never heard. Orders come in, reports go out;
 * frames are read from memory shared with the main thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { WakeAfter } from '../domain/ports.ts';
import type { PlayTarget, SharedClip, ThreadOrder, ThreadReport, ThreadSettings } from './messages.ts';
import { createPacingLoop } from './pacing-loop.ts';
import { createPortPool } from './port-pool.ts';
import { RtpStream } from './rtp-stream.ts';
import { openRtpSocket, type RtpSocket } from './sockets.ts';

interface PreparedCall {
  readonly socket: RtpSocket;
  readonly clips: readonly SharedClip[];
  readonly counters: Int32Array;
  readonly onSendFailed: (error: Error) => void;
  stream: RtpStream | null;
}

const nowMs = (): number => performance.now();

/** Rounds up: a timer that fires early would only be set a second time. */
const wakeAfter: WakeAfter = (delayMs, wake) => {
  const timer = setTimeout(wake, Math.ceil(delayMs));
  return () => clearTimeout(timer);
};

const main = parentPort;
if (main === null) throw new Error('media/thread is started by media/link, as a worker thread.');
const report = (message: ThreadReport): void => main.postMessage(message);

const settings = workerData as ThreadSettings;
const pool = createPortPool(settings.ports);
const loop = createPacingLoop(nowMs, wakeAfter);
const calls = new Map<number, PreparedCall>();

/** Tells of the first failure only: the others are most likely the same, fifty times a second. */
const reportFirstFailure = (call: number): ((error: Error) => void) => {
  let isTold = false;
  return (error) => {
    if (!isTold) report({ type: 'send_failed', call, reason: error.message });
    isTold = true;
  };
};

const prepare = async ({ call, clips, counters }: Extract<ThreadOrder, { type: 'prepare' }>): Promise<void> => {
  const onSendFailed = reportFirstFailure(call);
  try {
    const socket = await openRtpSocket(settings.bindAddress, pool, onSendFailed);
    calls.set(call, { socket, clips, counters: new Int32Array(counters), onSendFailed, stream: null });
    report({ type: 'prepared', call, port: socket.port });
  } catch (error) {
    report({ type: 'refused', call, reason: error instanceof Error ? error.message : String(error) });
  }
};

const play = (call: number, to: PlayTarget): void => {
  const prepared = calls.get(call);
  if (prepared === undefined || prepared.stream !== null) return;
  prepared.stream = new RtpStream({
    ...prepared,
    to,
    nowMs: nowMs(),
    onFinished: () => report({ type: 'finished', call }),
  });
  loop.add(prepared.stream);
};

const stop = (call: number): void => {
  const prepared = calls.get(call);
  if (prepared === undefined) return;
  calls.delete(call);
  if (prepared.stream !== null) loop.remove(prepared.stream);
  prepared.socket.close(() => report({ type: 'stopped', call }));
};

main.on('message', (order: ThreadOrder) => {
  if (order.type === 'prepare') void prepare(order);
  else if (order.type === 'play') play(order.call, order.to);
  else if (order.type === 'redirect') calls.get(order.call)?.stream?.redirect(order.to);
  else stop(order.call);
});
report({ type: 'ready' });
