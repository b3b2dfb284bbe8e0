/** RTP ports of a range, taken in turn so that a port rests as long as possible before its next call. */
export interface PortPool {
  /** How many ports the range holds: the most that `take` need be tried. */
  readonly size: number;
  /** The next free port, or null if every one is taken. */
  take(): number | null;
  /** Gives a taken port back. */
  release(port: number): void;
}

/** Whether the range leaves the choice to the operating system. */
const isAny = ([first, last]: readonly [number, number]): boolean => first === 0 && last === 0;

const anyPort: PortPool = { size: 1, take: () => 0, release: () => {} };

/**
 * The even ports of `[first, last]`, both included: RTP has the even port, RTCP the odd one above it (RFC 3550 11).
 * `[0, 0]` means any port: then `take` always answers 0. Throws if the range holds no even port.
 */
export const createPortPool = (range: readonly [number, number]): PortPool => {
  if (isAny(range)) return anyPort;
  const first = range[0] + (range[0] % 2);
  const size = Math.floor((range[1] - first) / 2) + 1;
  if (size < 1) throw new Error(`The RTP port range ${range.join('-')} holds no even port: widen it.`);
  const taken = new Set<number>();
  let turn = 0;

  const take = (): number | null => {
    for (let tried = 0; tried < size; tried += 1) {
      const port = first + 2 * turn;
      turn = (turn + 1) % size;
      if (!taken.has(port)) {
        taken.add(port);
        return port;
      }
    }
    return null;
  };
  return { size, take, release: (port) => void taken.delete(port) };
};
