import type { ReportBlock } from './rtcp-packet.ts';
import { nearestIndex } from './srtp-index.ts';

/** Sequence numbers that may be missing before a jump counts as a new start (RFC 3550 A.1). */
const MAX_DROPOUT = 3_000;
const MAX_MISORDER = 100;

/** What a receiver counts of one source (RFC 3550 A.1, A.3, A.8). */
export class Reception {
  #first = -1;
  #highest = -1;
  #received = 0;
  #expectedBefore = 0;
  #receivedBefore = 0;
  #transit = 0;
  #jitter = 0;
  /** The sequence number that would confirm a jump, -1 for none. */
  #restart = -1;

  /** `arrival`: when it came, in units of the RTP timestamp, from any start. */
  take(sequence: number, timestamp: number, arrival: number): void {
    const transit = (arrival - timestamp) | 0;
    if (this.#highest < 0) this.#begin(sequence, transit);
    else if (!this.#follow(sequence, transit)) return;
    this.#received += 1;
    const difference = Math.abs((transit - this.#transit) | 0);
    this.#transit = transit;
    this.#jitter += (difference - this.#jitter) / 16;
  }

  /** What a report says of it; each call starts the next interval. Null if nothing was received. */
  report(): Pick<ReportBlock, 'fractionLost' | 'cumulativeLost' | 'highestSequence' | 'jitter'> | null {
    if (this.#highest < 0) return null;
    const expected = this.#highest - this.#first + 1;
    const expectedNow = expected - this.#expectedBefore;
    const lostNow = expectedNow - (this.#received - this.#receivedBefore);
    this.#expectedBefore = expected;
    this.#receivedBefore = this.#received;
    return {
      fractionLost: lostNow > 0 ? Math.min(255, Math.floor((256 * lostNow) / expectedNow)) : 0,
      cumulativeLost: Math.max(-0x800000, Math.min(0x7fffff, expected - this.#received)),
      highestSequence: this.#highest % 2 ** 32,
      jitter: Math.floor(this.#jitter),
    };
  }

  #begin(sequence: number, transit: number): void {
    this.#first = sequence;
    this.#highest = sequence;
    this.#received = 0;
    this.#expectedBefore = 0;
    this.#receivedBefore = 0;
    this.#transit = transit;
  }

  /** False if the number is too far off to belong to the stream; two in a row there start it anew. */
  #follow(sequence: number, transit: number): boolean {
    const index = nearestIndex(this.#highest, sequence);
    const step = index - this.#highest;
    if (step < MAX_DROPOUT && step > -MAX_MISORDER) {
      this.#highest = Math.max(this.#highest, index);
      return true;
    }
    const isConfirmed = sequence === this.#restart;
    this.#restart = isConfirmed ? -1 : (sequence + 1) % 0x10000;
    if (isConfirmed) this.#begin(sequence, transit);
    return isConfirmed;
  }
}
