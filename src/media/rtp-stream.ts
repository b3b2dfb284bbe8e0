import { randomBytes } from 'node:crypto';
import { G711_FRAME_BYTES } from '../domain/codec.ts';
import { RTP_HEADER_BYTES, writeRtpHeader } from '../rtp/packet.ts';
import { type Playout, type PlayoutStep, playoutDueMs, startPlayout, stepPlayout } from '../rtp/playout.ts';
import { countFrame } from './counters.ts';
import type { PlayTarget, SharedClip } from './messages.ts';
import type { PacedCall } from './pacing-loop.ts';
import type { RtpSocket } from './sockets.ts';

export interface StreamOrder {
  readonly socket: RtpSocket;
  readonly clips: readonly SharedClip[];
  readonly counters: Int32Array;
  readonly to: PlayTarget;
  readonly nowMs: number;
  /** Once, after the last frame has had its 20 ms. */
  readonly onFinished: () => void;
  /** For each packet that the kernel did not take. The stream goes on. */
  readonly onSendFailed: (error: Error) => void;
}

type DueFrame = Extract<PlayoutStep, { kind: 'send' }>;

/** Where the numbers of a stream begin: random, so that nobody can guess them (RFC 3550 5.1). */
const randomOrigins = () => {
  const random = randomBytes(10);
  return { sequence: random.readUInt16BE(0), timestamp: random.readUInt32BE(2), ssrc: random.readUInt32BE(6) };
};

const framesOf = (clips: readonly SharedClip[], { codec }: PlayTarget): readonly Uint8Array[] =>
  clips.map((clip) => new Uint8Array(clip.renditions[codec]));

/** One playlist on its way to one peer, as RTP. */
export class RtpStream implements PacedCall {
  readonly #order: StreamOrder;
  readonly #origins = randomOrigins();
  readonly #frameCounts: readonly number[];
  #frames: readonly Uint8Array[];
  #to: PlayTarget;
  #playout: Playout;
  #framesTaken = 0;

  constructor(order: StreamOrder) {
    this.#order = order;
    this.#to = order.to;
    this.#frameCounts = order.clips.map((clip) => clip.frameCount);
    this.#frames = framesOf(order.clips, order.to);
    this.#playout = startPlayout(this.#frameCounts, order.nowMs);
  }

  get dueMs(): number {
    return playoutDueMs(this.#playout);
  }

  /** From the next packet on, media goes there, as that. The timestamps go on: every codec has the same clock rate. */
  redirect(to: PlayTarget): void {
    if (to.codec !== this.#to.codec) this.#frames = framesOf(this.#order.clips, to);
    this.#to = to;
  }

  step(nowMs: number): boolean {
    const step = stepPlayout(this.#frameCounts, this.#playout, nowMs);
    if (step.kind === 'send') {
      this.#send(step);
      this.#playout = step.next;
    }
    if (step.kind === 'over') this.#order.onFinished();
    return step.kind !== 'over';
  }

  #send(due: DueFrame): void {
    const { socket, counters, onSendFailed } = this.#order;
    socket.send(this.#packet(due), this.#to, (error) => {
      if (error === null) countFrame(counters, due.clip);
      else onSendFailed(error);
    });
    this.#framesTaken += 1;
  }

  #packet(due: DueFrame): Uint8Array {
    const packet = new Uint8Array(RTP_HEADER_BYTES + G711_FRAME_BYTES);
    writeRtpHeader(packet, {
      payloadType: this.#to.payloadType,
      marker: due.marker,
      sequence: this.#origins.sequence + this.#framesTaken,
      timestamp: this.#origins.timestamp + due.timestampOffset,
      ssrc: this.#origins.ssrc,
    });
    const start = due.frame * G711_FRAME_BYTES;
    const frame = this.#frames[due.clip]?.subarray(start, start + G711_FRAME_BYTES);
    if (frame !== undefined) packet.set(frame, RTP_HEADER_BYTES);
    return packet;
  }
}
