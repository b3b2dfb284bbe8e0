import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, wakeAfter } from '../../src/clock.ts';
import { renditionBytes } from '../../src/domain/codec.ts';
import { NO_SILENCES } from '../../src/domain/silences.ts';
import { type MediaPort, startMediaThread } from '../../src/media/link.ts';
import { sharedRenditions } from '../../test/support/renditions.ts';
import { startChild } from '../support/child.ts';
import { SEALING } from '../support/sealing.ts';
import type { Player } from './player.ts';
import type { PlayerOrder } from './player-order.ts';
import { residentBytes } from './resident-bytes.ts';

const FRAMES_PER_SECOND = 50;
/** More than any warm-up and the time to start the calls. */
const SPARE_SECONDS = 60;
/** Calls are answered at such a pace, as on a busy server. */
const ANSWERS_PER_MS = 2;
/** Calls prepared at the same time. */
const AT_ONCE = 100;

const quiet = (): void => {};
const log = { debug: quiet, info: quiet, warn: console.error, error: console.error };

const PCMU = {
  payloadType: 0,
  codec: 'PCMU',
  packetTimeMs: 20,
  sealing: null,
  opening: null,
  eventPayloadTypes: [101],
  comedia: false,
  rtcp: null,
} as const;

const BLOCKED_MS = 500;

/** Holds the main thread for half of each second, as a long commit would. */
const blockMain = (): NodeJS.Timeout => {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  return setInterval(() => void Atomics.wait(sleeper, 0, 0, BLOCKED_MS), 2 * BLOCKED_MS);
};

/** Calls whose first packet is waited for, one after the other, while the others play. */
const PROBES = 200;
const PROBING_MS = 5000;
const GIVE_UP_MS = 1000;

const makeClip = (seconds: number) => {
  const frameCount = seconds * FRAMES_PER_SECOND;
  const renditions = sharedRenditions((codec) => new SharedArrayBuffer(renditionBytes(codec, frameCount)));
  return { key: 'bench', mediaId: null, frameCount, renditions };
};

/** The media thread itself, over its real link. */
export const startRingcastPlayer = async ({ player, calls, seconds, ports }: PlayerOrder): Promise<Player> => {
  const media = await startMediaThread({
    bindAddress: '127.0.0.1',
    ports: [0, 0],
    threads: player === 'two-threads' ? 2 : 1,
    sockets: 'auto',
    log,
    nowMs: monotonicMs,
    wakeAfter,
  });
  const clip = makeClip(seconds + SPARE_SECONDS);
  const format = { ...PCMU, sealing: player === 'srtp' ? SEALING : null };
  const bytesBefore = residentBytes();
  const opened: MediaPort[] = [];
  while (opened.length < calls) {
    const count = Math.min(AT_ONCE, calls - opened.length);
    opened.push(
      ...(await Promise.all(
        Array.from({ length: count }, () => media.prepare({ clips: [clip], silences: NO_SILENCES })),
      )),
    );
  }
  const startMs = performance.now();
  for (const [call, port] of opened.entries()) {
    while (performance.now() - startMs < call / ANSWERS_PER_MS) await sleep(1);
    port.play({ address: '127.0.0.1', port: ports[call % ports.length] ?? 0, ...format });
  }
  const local = JSON.stringify(opened.map(({ port }) => port));
  const talkers = player === 'receiving' ? await startChild(join(import.meta.dirname, 'talkers.ts'), [local]) : null;
  const blocking = player === 'blocked' ? blockMain() : undefined;
  const probe = async (): Promise<number> => {
    const port = await media.prepare({ clips: [clip], silences: NO_SILENCES });
    const startMs = performance.now();
    port.play({ address: '127.0.0.1', port: ports[0] ?? 0, ...PCMU });
    while (port.packetsSent() === 0 && performance.now() - startMs < GIVE_UP_MS);
    const delayMs = performance.now() - startMs;
    await port.stop();
    return delayMs;
  };
  const firstAudioMs = async (): Promise<readonly number[]> => {
    const delaysMs: number[] = [];
    const startMs = performance.now();
    while (delaysMs.length < PROBES && performance.now() - startMs < PROBING_MS) delaysMs.push(await probe());
    return delaysMs;
  };
  const stop = async (): Promise<void> => {
    clearInterval(blocking);
    await talkers?.kill();
    await media.close();
  };
  return { bytesBefore, firstAudioMs, lateness: media.lateness, stop };
};
