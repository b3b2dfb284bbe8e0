import { randomBytes, randomFillSync, randomInt } from 'node:crypto';
import { uptime } from 'node:os';
import type { RandomSource, WakeAfter } from './domain/ports.ts';

/** setTimeout cannot wait longer than this; a longer wait wakes early, which every waker must bear. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The real clock behind the domain's port. */
export const wakeAfter: WakeAfter = (delayMs, wake) => {
  const timer = setTimeout(wake, Math.min(Math.max(0, delayMs), LONGEST_TIMEOUT_MS));
  return () => clearTimeout(timer);
};

/** For what people are shown; nothing is timed by it. */
export const wallMs = (): number => Date.now();

/** Of the machine; counts on while it sleeps. */
export const uptimeMs = (): number => 1000 * uptime();

export const monotonicMs = (): number => performance.now();

/** How many random octets are asked for at once: the question costs as much for one as for these. */
const RANDOM_POOL_BYTES = 4_096;

/** Makes random octets in advance; each is handed out once, and wiped. */
const createRandomPool = (): ((bytes: number) => string) => {
  const pool = Buffer.alloc(RANDOM_POOL_BYTES);
  let used = pool.length;
  return (bytes) => {
    if (bytes > pool.length) return randomBytes(bytes).toString('hex');
    if (used + bytes > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const hex = pool.toString('hex', used, used + bytes);
    pool.fill(0, used, used + bytes);
    used += bytes;
    return hex;
  };
};

/** Digits of one random number: `randomInt` makes numbers below 2^48. */
const DIGITS_AT_ONCE = 14;

const randomDigits = (length: number): string =>
  length > DIGITS_AT_ONCE
    ? randomDigits(DIGITS_AT_ONCE) + randomDigits(length - DIGITS_AT_ONCE)
    : String(randomInt(10 ** length)).padStart(length, '0');

/** The operating system's random source behind the domain's port. */
export const random: RandomSource = {
  digits: randomDigits,
  hex: createRandomPool(),
};
