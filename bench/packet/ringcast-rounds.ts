import { renditionBytes } from '../../src/domain/codec.ts';
import { countersOf, createCountersMemory } from '../../src/media/counters.ts';
import { createDescriptorMemory } from '../../src/media/descriptors.ts';
import type { PlayTarget, SocketKind } from '../../src/media/messages.ts';
import { openSockets } from '../../src/media/open-sockets.ts';
import { createOverload } from '../../src/media/overload.ts';
import { createVitalsMemory, vitalsWriter } from '../../src/media/vitals.ts';
import { Voices } from '../../src/media/voices.ts';
import { sharedRenditions } from '../../test/support/renditions.ts';
import type { Rounds } from './rounds.ts';

const FRAME_MS = 20;
/** Ten minutes: longer than any measurement. */
const FRAMES = 30_000;
const CLIP = 1;

const makeClip = () => ({
  frameCount: FRAMES,
  renditions: sharedRenditions((codec) => new SharedArrayBuffer(renditionBytes(codec, FRAMES))),
});

/** A number without a factor in common with a count of calls: steps of it come by each, far from the one before. */
const STRIDE = 7919;

/**
 * All of the media thread but its sleep, by a clock that goes as fast as packets are sent. Calls that began in the order of
 * their rows lie in memory as they are played; those of a server that has run for a while do not.
 */
export const ringcastRounds = (
  calls: number,
  targetOf: (call: number) => PlayTarget,
  { isInOrder = true, kind = 'auto' }: { readonly isInOrder?: boolean; readonly kind?: SocketKind } = {},
): Rounds => {
  let nowMs = 1000;
  let packets = 0;
  const overload = createOverload(nowMs);
  const vitals = vitalsWriter(createVitalsMemory());
  const descriptors = createDescriptorMemory(calls);
  const voices = new Voices({
    sockets: openSockets({ kind, bindAddress: '127.0.0.1', rows: calls, descriptors }).sockets,
    counters: countersOf(createCountersMemory(calls), calls),
    rows: calls,
    // Asked for its cost: the thread asks for each packet.
    nowMs: () => (performance.now() < 0 ? 0 : nowMs),
    report: (report) => {
      if (report.type === 'refused' || report.type === 'send_failed') throw new Error(report.reason);
    },
    onPacket: (lateMs) => {
      packets += 1;
      overload.note(lateMs);
      vitals.notePacket(lateMs);
    },
  });
  const step = (ms: number): void => {
    nowMs += ms;
    overload.isOverloaded(nowMs);
    voices.run(nowMs);
    voices.nextDueMs();
  };

  voices.take({ type: 'load', clip: CLIP, audio: makeClip() });
  for (let call = 0; call < calls; call += 1) voices.take({ type: 'prepare', call, port: 0, clips: [CLIP] });
  for (let nth = 0; nth < calls; nth += 1) {
    const call = isInOrder ? nth : (nth * STRIDE) % calls;
    voices.take({ type: 'play', call, to: targetOf(call) });
    step(FRAME_MS / calls);
  }
  return () => {
    const before = packets;
    for (let ms = 0; ms < FRAME_MS; ms += 1) step(1);
    return packets - before;
  };
};
