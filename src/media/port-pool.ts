/** RTP ports of a range. A port that was given back rests for a minute, so that no call hears the packets of another. */
export interface PortPool {
  /** The port that has rested longest, or null if every one is taken or resting. */
  take(): number | null;
  /** Gives a taken port back. */
  release(port: number): void;
  /** Ports that could be taken now. */
  rested(): number;
}

const REST_MS = 60_000;

/** Whether the range leaves the choice to the operating system. */
const isAny = ([first, last]: readonly [number, number]): boolean => first === 0 && last === 0;

const anyPort: PortPool = { take: () => 0, release: () => {}, rested: () => Number.POSITIVE_INFINITY };

/**
 * The even ports of `[first, last]` that have the odd one above them in the range too: RTP has the even port, RTCP the
 * odd one (RFC 3550 11). `[0, 0]` means any port: then `take` always answers 0. Throws if the range holds no pair.
 */
export const createPortPool = (range: readonly [number, number], nowMs: () => number): PortPool => {
  if (isAny(range)) return anyPort;
  const first = range[0] + (range[0] % 2);
  const size = Math.floor((range[1] - first + 1) / 2);
  if (size < 1) throw new Error(`The RTP port range ${range.join('-')} holds no even port with the odd one above it.`);
  /** A ring of the ports that are not taken, in the order they were given back. */
  const ports = Int32Array.from({ length: size }, (_, pair) => first + 2 * pair);
  const restedAtMs = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
  let head = 0;
  let count = size;
  /** Of those, the first that have rested, as far as that was looked at: they rest in their order. */
  let ready = 0;
  const rested = (): number => {
    while (ready < count && (restedAtMs[(head + ready) % size] ?? 0) <= nowMs()) ready += 1;
    return ready;
  };

  return {
    take() {
      if (rested() === 0) return null;
      const port = ports[head] ?? null;
      head = (head + 1) % size;
      count -= 1;
      ready -= 1;
      return port;
    },
    release(port) {
      const tail = (head + count) % size;
      ports[tail] = port;
      restedAtMs[tail] = nowMs() + REST_MS;
      count += 1;
    },
    rested,
  };
};
