/**
 * The media thread. It alone sends voice, so that a busy main thread is never heard. Orders come in, reports go out;
 * frames are read from memory shared with the main thread.
 */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { countersOf } from './counters.ts';
import { blockingLoop, timerLoop } from './loops.ts';
import { MAX_CALLS_PER_THREAD, type ThreadReport, type ThreadSettings } from './messages.ts';
import { openSockets } from './open-sockets.ts';
import { createOverload } from './overload.ts';
import { vitalsWriter } from './vitals.ts';
import { Voices } from './voices.ts';

const main = parentPort;
if (main === null) throw new Error('media/thread is started by media/link, as a worker thread.');
const report = (message: ThreadReport): void => main.postMessage(message);
const nowMs = (): number => performance.now();

const { bindAddress, sockets: kind, memory }: ThreadSettings = workerData;
/** Before all ordinary work, not before the kernel's. */
const VOICE_PRIORITY = -15;
const rows = MAX_CALLS_PER_THREAD;

const { sockets, isBlocking, fallback } = openSockets({ kind, bindAddress, rows, descriptors: memory.descriptors });

/** Nice values are those of a thread on Linux. Without the right to it (CAP_SYS_NICE) voice takes its turn like others. */
const preferVoice = (): void => {
  try {
    setPriority(VOICE_PRIORITY);
  } catch {
    // Refused: nothing is lost but punctuality on a busy machine.
  }
};

const vitals = vitalsWriter(memory.vitals);
const overload = createOverload(nowMs());
const voices = new Voices({
  sockets,
  counters: countersOf(memory.counters, rows),
  rows,
  nowMs,
  report,
  onPacket: (lateMs) => {
    overload.note(lateMs);
    vitals.notePacket(lateMs);
  },
});
const parts = { voices, orders: main, nowMs, onTurn: (atMs: number) => vitals.beat(overload.isOverloaded(atMs)) };

report({ type: 'ready', fallback });
if (isBlocking) {
  preferVoice();
  blockingLoop(parts, memory.wake);
} else timerLoop(parts);
