import { randomBytes } from 'node:crypto';
import type { CallSockets } from './call-sockets.ts';

const SAMPLES_PER_SLOT = 160;
/** First octet of an RTP header: version 2, no padding, extension or CSRC list (RFC 3550 5.1). */
const VERSION = 0x80;
const MARKER = 0x80;

/** Sequence number, timestamp and SSRC of each row's stream, written straight into its next header. */
export class StreamNumbers {
  readonly #sockets: CallSockets;
  readonly #sequence: Uint16Array;
  readonly #firstTimestamp: Uint32Array;
  readonly #payloadType: Uint8Array;

  constructor(sockets: CallSockets, rows: number) {
    this.#sockets = sockets;
    this.#sequence = new Uint16Array(rows);
    this.#firstTimestamp = new Uint32Array(rows);
    this.#payloadType = new Uint8Array(rows);
  }

  /** Numbers begin at random, so that nobody can guess them (RFC 3550 5.1). */
  start(row: number): void {
    const { headers } = this.#sockets;
    const at = this.#sockets.headerAt(row);
    const random = randomBytes(10);
    this.#sequence[row] = random.readUInt16BE(0);
    this.#firstTimestamp[row] = random.readUInt32BE(2);
    headers.setUint8(at, VERSION);
    headers.setUint32(at + 8, random.readUInt32BE(6));
  }

  setPayloadType(row: number, payloadType: number): void {
    this.#payloadType[row] = payloadType & 0x7f;
  }

  /** The header of the next packet; each has the sequence number after the last. */
  write(row: number, slot: number, isMarked: boolean): void {
    const { headers } = this.#sockets;
    const at = this.#sockets.headerAt(row);
    const sequence = this.#sequence[row] ?? 0;
    headers.setUint8(at + 1, (isMarked ? MARKER : 0) | (this.#payloadType[row] ?? 0));
    headers.setUint16(at + 2, sequence);
    headers.setUint32(at + 4, (this.#firstTimestamp[row] ?? 0) + slot * SAMPLES_PER_SLOT);
    this.#sequence[row] = sequence + 1;
  }
}
