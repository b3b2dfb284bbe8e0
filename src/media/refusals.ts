/** So many ICMP refusals, the last so long after the first, from a peer that is not heard meanwhile, and nobody is there. */
const MIN_REFUSALS = 3;
const REFUSED_FOR_MS = 2000;

/**
 * ICMP refusals of the machine that voice is sent to. A phone may open its port a moment after it answers, and its kernel
 * sends few of them a second: one alone says nothing, nor do any beside RTP or RTCP that comes in.
 */
export class Refusals {
  #count = 0;
  #firstAtMs = 0;

  /** Whether nobody is there. */
  note(nowMs: number): boolean {
    if (this.#count === 0) this.#firstAtMs = nowMs;
    this.#count += 1;
    return this.#count >= MIN_REFUSALS && nowMs - this.#firstAtMs >= REFUSED_FOR_MS;
  }

  /** The peer was heard. */
  forget(): void {
    this.#count = 0;
  }
}
