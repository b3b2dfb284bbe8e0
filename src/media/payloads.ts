import { CODEC_FRAMES, type Codec, FRAME_MS } from '../domain/codec.ts';
import { joinOpus } from '../rtp/opus-packet.ts';
import { SLOT_MS } from '../rtp/playout.ts';
import type { CallSockets, Frames } from './call-sockets.ts';
import type { SharedClip } from './messages.ts';
import { createScratch } from './scratch.ts';

/** A clip as the media thread has it. */
export interface Clip {
  readonly frameCount: number;
  readonly renditions: Readonly<Record<Codec, Frames>>;
}

export const clipOf = (sockets: CallSockets, { frameCount, renditions }: SharedClip): Clip => {
  const framesOf = (codec: Codec): Frames => sockets.frames(renditions[codec]);
  return {
    frameCount,
    renditions: { opus: framesOf('opus'), G722: framesOf('G722'), PCMU: framesOf('PCMU'), PCMA: framesOf('PCMA') },
  };
};

export const SLOTS_PER_FRAME = FRAME_MS / SLOT_MS;
/** Room for three frames of Opus and what joins them. */
const JOINED_BYTES = 256;

/** Cuts payloads out of clips. Its fields tell where the latest one lies, so that none is allocated for a packet. */
export class Payloads {
  frames: Frames;
  offset = 0;
  length = 0;
  /** What `length` is before encryption. */
  octets = 0;
  /** Slots that the payload holds: less than were wanted at the end of a clip. */
  slots = 0;
  readonly #nextJoined: () => Frames;

  constructor(sockets: CallSockets) {
    this.#nextJoined = createScratch(sockets, JOINED_BYTES);
    this.frames = this.#nextJoined();
  }

  /** About so many slots of the clip, from slot `place` on, which begins a frame if the codec's frames are whole. */
  cut(clip: Clip, codec: Codec, place: number, wantedSlots: number): void {
    const { frameBytes, divisible } = CODEC_FRAMES[codec];
    this.slots = Math.min(wantedSlots, clip.frameCount * SLOTS_PER_FRAME - place);
    this.frames = clip.renditions[codec];
    this.offset = (place / SLOTS_PER_FRAME) * frameBytes;
    this.length = (this.slots / SLOTS_PER_FRAME) * frameBytes;
    if (!divisible && this.length > frameBytes) this.#join(frameBytes);
    this.octets = this.length;
  }

  /** Frames that cannot be joined go one by one. */
  #join(frameBytes: number): void {
    const frames: Uint8Array[] = [];
    for (let at = this.offset; at < this.offset + this.length; at += frameBytes) {
      frames.push(this.frames.octets.subarray(at, at + frameBytes));
    }
    const joined = this.#nextJoined();
    const length = joinOpus(joined.octets, frames);
    if (length === null) {
      this.slots = SLOTS_PER_FRAME;
      this.length = frameBytes;
    } else {
      this.frames = joined;
      this.offset = 0;
      this.length = length;
    }
  }
}
