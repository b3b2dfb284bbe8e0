import { FRAME_MS } from '../../src/domain/codec.ts';
import type { EndOfVoice, MediaPort, MediaThread, PlayTarget } from '../../src/media/link.ts';
import type { SrtpKeying } from '../../src/rtp/srtp-suite.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What a media thread was asked to do, with the virtual time. */
export interface VoiceEvent {
  readonly atMs: number;
  readonly kind: 'play' | 'redirect' | 'hold' | 'resume' | 'stop' | 'finished';
  readonly to?: { readonly address: string; readonly port: number };
  /** Of a `redirect`. */
  readonly codec?: string;
  /** What the voice is encrypted with, if it is. */
  readonly sealing?: SrtpKeying;
}

const sealingOf = ({ sealing }: Pick<PlayTarget, 'sealing'>) => (sealing ? { sealing } : {});

/** A media thread in virtual time: it counts frames and sends none. */
export interface VirtualMedia extends MediaThread {
  readonly events: VoiceEvent[];
  /** Ports handed out and not yet stopped. */
  readonly open: number;
  /** Lets the next `prepare` fail with this sentence. */
  failNext(problem: string): void;
  /** Ends every voice before its last frame, as a dying thread does. */
  breakDown(): void;
  /** Ends every voice because nobody listens to it. */
  refuse(): void;
}

export const createVirtualMedia = (clock: VirtualClock): VirtualMedia => {
  const events: VoiceEvent[] = [];
  const breakers = new Set<(end: EndOfVoice) => void>();
  let nextPort = 16_382;
  let open = 0;
  let problem: string | null = null;

  const note = (event: Omit<VoiceEvent, 'atMs'>): void => {
    events.push({ atMs: clock.nowMs, ...event });
  };

  const createPort = (frameCounts: readonly number[]): MediaPort => {
    const finished = Promise.withResolvers<EndOfVoice>();
    const total = frameCounts.reduce((sum, count) => sum + count, 0);
    let startedAtMs: number | null = null;
    let stoppedAtMs: number | null = null;
    let refusals = 0;
    let cancelEnd = (): void => undefined;
    open += 1;
    nextPort += 2;
    const sent = (): number =>
      startedAtMs === null ? 0 : Math.min(total, Math.floor(((stoppedAtMs ?? clock.nowMs) - startedAtMs) / FRAME_MS));
    const end = (how: EndOfVoice = 'broken-off'): void => {
      if (stoppedAtMs !== null) return;
      if (how === 'peer-refuses') refusals = 3;
      stoppedAtMs = clock.nowMs;
      cancelEnd();
      open -= 1;
      finished.resolve(how);
    };
    breakers.add(end);
    return {
      port: nextPort,
      play: (to) => {
        note({ kind: 'play', to: { address: to.address, port: to.port }, ...sealingOf(to) });
        startedAtMs = clock.nowMs;
        cancelEnd = clock.wakeAfter(total * FRAME_MS, () => {
          note({ kind: 'finished' });
          finished.resolve('played');
        });
      },
      redirect: ({ address, port, codec, sealing }) =>
        note({ kind: 'redirect', to: { address, port }, codec, ...sealingOf({ sealing }) }),
      hold: () => note({ kind: 'hold' }),
      resume: () => note({ kind: 'resume' }),
      finished: finished.promise,
      framesSent: () => {
        let left = sent();
        return frameCounts.map((count) => {
          const here = Math.min(count, left);
          left -= here;
          return here;
        });
      },
      packetsSent: sent,
      onDigit: () => undefined,
      place: () => (startedAtMs === null ? null : { clip: 0, placeMs: sent() * FRAME_MS }),
      quality: () => null,
      packetsRefused: () => 0,
      peerRefusals: () => refusals,
      latenessMs: () => 0,
      stop: async () => {
        if (stoppedAtMs === null) note({ kind: 'stop' });
        end();
      },
    };
  };

  return {
    events,
    get open() {
      return open;
    },
    failNext: (sentence) => {
      problem = sentence;
    },
    breakDown: () => {
      for (const end of breakers) end('broken-off');
    },
    refuse: () => {
      for (const end of breakers) end('peer-refuses');
    },
    prepare: async ({ clips }) => {
      const failure = problem;
      problem = null;
      if (failure !== null) throw new Error(failure);
      return createPort(clips.map((clip) => clip.frameCount));
    },
    capacity: () => Number.POSITIVE_INFINITY,
    isOverloaded: () => false,
    lateness: () => ({ packets: 0, latePackets: 0, maxMs: 0, bands: [] }),
    close: async () => undefined,
  };
};
