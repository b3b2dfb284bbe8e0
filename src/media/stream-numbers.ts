import { randomBytes } from 'node:crypto';
import { SLOT_MS } from '../rtp/playout.ts';
import type { CallSockets } from './call-sockets.ts';

/** First octet of an RTP header: version 2, no padding, extension or CSRC list (RFC 3550 5.1). */
const VERSION = 0x80;
const MARKER = 0x80;

/** Sequence number, timestamp and SSRC of each row's stream, written straight into its next header. */
export class StreamNumbers {
  readonly #sockets: CallSockets;
  readonly #sequence: Uint16Array;
  readonly #firstTimestamp: Uint32Array;
  readonly #payloadType: Uint8Array;
  /** What the timestamp advances by in a slot. */
  readonly #step: Uint16Array;

  constructor(sockets: CallSockets, rows: number) {
    this.#sockets = sockets;
    this.#sequence = new Uint16Array(rows);
    this.#firstTimestamp = new Uint32Array(rows);
    this.#payloadType = new Uint8Array(rows);
    this.#step = new Uint16Array(rows);
  }

  /**
   * Numbers begin at random, so that nobody can guess them (RFC 3550 5.1); the sequence in its lower half, as whoever
   * decrypts may miss the first packets (RFC 3711 3.3.1).
   */
  #start(row: number): void {
    const { headers } = this.#sockets;
    const at = this.#sockets.headerAt(row);
    const random = randomBytes(10);
    this.#sequence[row] = random.readUInt16BE(0) & 0x7fff;
    this.#firstTimestamp[row] = random.readUInt32BE(2);
    headers.setUint8(at, VERSION);
    headers.setUint32(at + 8, random.readUInt32BE(6));
  }

  /** A new call has the row. */
  reset(row: number): void {
    this.#step[row] = 0;
  }

  /** What packets hold from now on. Another clock makes another stream of it (RFC 7160 4.1); whether it did. */
  setFormat(row: number, payloadType: number, clockRateHz: number): boolean {
    const step = (clockRateHz * SLOT_MS) / 1000;
    const isOther = step !== this.#step[row];
    if (isOther) this.#start(row);
    this.#payloadType[row] = payloadType & 0x7f;
    this.#step[row] = step;
    return isOther;
  }

  ssrc(row: number): number {
    return this.#sockets.headers.getUint32(this.#sockets.headerAt(row) + 8);
  }

  /** The timestamp of a moment, in slots since the start. */
  timestampAt(row: number, slots: number): number {
    return ((this.#firstTimestamp[row] ?? 0) + Math.round(slots * (this.#step[row] ?? 0))) >>> 0;
  }

  clockRateHz(row: number): number {
    return ((this.#step[row] ?? 0) * 1000) / SLOT_MS;
  }

  /** The header of the next packet; each has the sequence number after the last. */
  write(row: number, slot: number, isMarked: boolean): void {
    const { headers } = this.#sockets;
    const at = this.#sockets.headerAt(row);
    const sequence = this.#sequence[row] ?? 0;
    headers.setUint8(at + 1, (isMarked ? MARKER : 0) | (this.#payloadType[row] ?? 0));
    headers.setUint16(at + 2, sequence);
    headers.setUint32(at + 4, (this.#firstTimestamp[row] ?? 0) + slot * (this.#step[row] ?? 0));
    this.#sequence[row] = sequence + 1;
  }
}
