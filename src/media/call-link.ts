import type { SrtpKeying } from '../rtp/srtp-suite.ts';
import type { StreamQuality } from '../rtp/stream-quality.ts';
import {
  type CallCounters,
  type Counters,
  clearCounters,
  copyCounters,
  readFramesSent,
  readLatenessMs,
  readPacketsRefused,
  readPacketsSent,
  readPeerRefusals,
  readPlace,
  readQuality,
} from './counters.ts';
import type { PlayTarget, ReadyReport, ThreadOrder, ThreadReport } from './messages.ts';
import type { PlaceInPlaylist, Playlist } from './playlist.ts';

/** How a voice ended: after the time of its last packet, or before, by a stop or with the thread. */
export type EndOfVoice = 'played' | 'broken-off';

/** The media of one call, seen from the main thread. */
export interface MediaPort {
  /** Local RTP port; RTCP has the one above it. */
  readonly port: number;
  /**
   * Sends the first packet at once, then one every packet time by absolute monotonic deadlines, clips and the silences
   * around them back to back. Only the first `play` of a port counts.
   */
  play(to: PlayTarget): void;
  /** The peer moved or wants another codec: from the next packet on, media goes there, as that. */
  redirect(to: PlayTarget): void;
  /** The peer put the call on hold: nothing is sent until `resume`. Does nothing if no clip is playing. */
  hold(): void;
  /** Goes on with the frame that was next, the marker set and the timestamp true across the silence. */
  resume(): void;
  /**
   * Settles when the last packet was sent and its time is over, when the port is stopped, or when the thread ended.
   * Frames that the kernel did not take are missing from `framesSent` only. Never rejects.
   */
  readonly finished: Promise<EndOfVoice>;
  /** Frames that the kernel took, of each clip, read live; those of silence are not told. */
  framesSent(): readonly number[];
  packetsSent(): number;
  /** Tells of each key that is pressed at the other end, with the place that was being played. One listener. */
  onDigit(listener: (digit: string, at: PlaceInPlaylist) => void): void;
  /**
   * The place that is being played: of the last clip of which anything was sent, its end in the silence behind it; the
   * start of the first in the silence before it. Null before the first packet.
   */
  place(): PlaceInPlaylist | null;
  /** How the peer hears us, as it reported last; null if it never did. */
  quality(): StreamQuality | null;
  /** Packets that the kernel did not take: lost, as on any network. */
  packetsRefused(): number;
  /** ICMP refusals of the peer's machine: nobody listens there. */
  peerRefusals(): number;
  /**
   * How late packets left: the bound of 1, 2, 5, 10, 20, 50, 100 ms or infinity that such a share of them (0 to 1) was
   * below; 0 if none was sent.
   */
  latenessMs(share: number): number;
  /** After it no packet leaves and the port is released. Idempotent; never rejects. */
  stop(): Promise<void>;
}

/** Another program holds the port. */
export const PORT_TAKEN = 'taken';
export type PortTaken = typeof PORT_TAKEN;

/** What the link knows of one call; turns the thread's reports into promises. */
export class CallLink {
  readonly #call: number;
  readonly #playlist: Playlist;
  readonly #post: (order: ThreadOrder) => void;
  #counters: CallCounters;
  #isOver = false;
  readonly #opened = Promise.withResolvers<number | PortTaken>();
  readonly #finished = Promise.withResolvers<EndOfVoice>();
  readonly #stopped = Promise.withResolvers<void>();

  #onDigit: (digit: string, at: PlaceInPlaylist) => void = () => {};

  constructor(call: number, playlist: Playlist, counters: Counters, post: (order: ThreadOrder) => void) {
    this.#call = call;
    this.#playlist = playlist;
    // Once it is over, another call has its number.
    this.#post = (order) => this.#isOver || post(order);
    this.#counters = { counters, row: call, clipCount: playlist.parts.length };
    clearCounters(this.#counters);
  }

  /** The RTP port that was bound, `PORT_TAKEN` if another may be tried; rejects if none will do. */
  open(port: number, clips: readonly number[]): Promise<number | PortTaken> {
    this.#post({ type: 'prepare', call: this.#call, port, clips });
    return this.#opened.promise;
  }

  onReport(report: Exclude<ThreadReport, ReadyReport>): void {
    if (report.type === 'prepared') this.#opened.resolve(report.port);
    if (report.type === 'refused') {
      if (report.isTaken) this.#opened.resolve(PORT_TAKEN);
      else this.#opened.reject(new Error(report.reason));
    }
    if (report.type === 'digit') this.#onDigit(report.digit, this.#playlist.placeOf(report));
    if (report.type === 'finished') this.#finished.resolve('played');
    if (report.type === 'stopped') this.#settle();
  }

  /** The thread is gone, and the sockets with it. */
  onThreadEnded(error: Error): void {
    this.#opened.reject(error);
    this.#settle();
  }

  /** Resolves when the ports are free again, however that came. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  #settle(): void {
    this.#isOver = true;
    this.#counters = copyCounters(this.#counters);
    this.#finished.resolve('broken-off');
    this.#stopped.resolve();
  }

  mediaPort(port: number): MediaPort {
    const call = this.#call;
    const playlist = this.#playlist;
    return {
      port,
      play: (to) => this.#post({ type: 'play', call, to: targetOf(to) }),
      redirect: (to) => this.#post({ type: 'redirect', call, to: targetOf(to) }),
      hold: () => this.#post({ type: 'hold', call }),
      resume: () => this.#post({ type: 'resume', call }),
      finished: this.#finished.promise,
      framesSent: () => playlist.ofClips(readFramesSent(this.#counters)),
      packetsSent: () => readPacketsSent(this.#counters),
      onDigit: (listener) => {
        this.#onDigit = listener;
      },
      place: () => {
        const place = readPlace(this.#counters);
        return place && playlist.placeOf(place);
      },
      quality: () => readQuality(this.#counters),
      packetsRefused: () => readPacketsRefused(this.#counters),
      peerRefusals: () => readPeerRefusals(this.#counters),
      latenessMs: (share) => readLatenessMs(this.#counters, share),
      stop: () => {
        this.#post({ type: 'stop', call });
        return this.#stopped.promise;
      },
    };
  }
}

/** Only what the thread needs: whatever else the caller's object holds might not be fit to cross. */
const targetOf = (to: PlayTarget): PlayTarget => ({
  address: to.address,
  port: to.port,
  payloadType: to.payloadType,
  codec: to.codec,
  packetTimeMs: to.packetTimeMs,
  sealing: to.sealing && copyOf(to.sealing),
  opening: to.opening && copyOf(to.opening),
  eventPayloadTypes: [...to.eventPayloadTypes],
  rtcp: to.rtcp && { address: to.rtcp.address, port: to.rtcp.port, isMux: to.rtcp.isMux },
});

/** Without the memory around the keys, which would cross with them. */
const copyOf = (keying: SrtpKeying): SrtpKeying => ({
  ...keying,
  masterKey: Uint8Array.from(keying.masterKey),
  masterSalt: Uint8Array.from(keying.masterSalt),
});
