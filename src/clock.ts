import { randomBytes, randomInt } from 'node:crypto';
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

export const monotonicMs = (): number => performance.now();

/** The operating system's random source behind the domain's port. */
export const random: RandomSource = {
  digits: (length) => Array.from({ length }, () => randomInt(10)).join(''),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
};
