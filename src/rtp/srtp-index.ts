/** How far behind the newest packet another may come and still be taken (RFC 3711 3.3.2 asks for at least 64). */
const REPLAY_WINDOW = 64;

/** The index whose low 16 bits are `sequence` and that is nearest to the highest seen (RFC 3711 3.3.1). May be negative. */
export const nearestIndex = (highest: number | null, sequence: number): number =>
  highest === null ? sequence : highest + (((sequence - highest) << 16) >> 16);

/** Which packets of a source have come already. */
export class ReplayWindow {
  /** At `index % REPLAY_WINDOW` the last index of that place, -1 for none. */
  readonly #seen = new Float64Array(REPLAY_WINDOW).fill(-1);
  #highest: number | null = null;

  /** Null while none has come. */
  get highest(): number | null {
    return this.#highest;
  }

  isFresh(index: number): boolean {
    if (index < 0 || index <= (this.#highest ?? -1) - REPLAY_WINDOW) return false;
    return this.#seen[index % REPLAY_WINDOW] !== index;
  }

  /** Only of packets that were authenticated, else anyone could move the window. */
  note(index: number): void {
    this.#seen[index % REPLAY_WINDOW] = index;
    this.#highest = Math.max(this.#highest ?? 0, index);
  }
}
