import { udpSource } from '../../src/sip/hop.ts';
import type { Address } from '../../src/sip/via.ts';
import type { OnMessage, SipTransport } from '../../src/telephony/sip-transport.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A network whose every misfortune follows from a seed. */
export interface SeededNetwork {
  attach(address: Address): SipTransport;
  /** Looks at each datagram before its fate is drawn: `drop` loses it, a number delays it by so many milliseconds. */
  intercept(judge: (octets: Uint8Array, from: Address, to: Address) => 'drop' | 'pass' | number): void;
}

export interface Misfortune {
  readonly seed: number;
  /** Probability of 0 to 1. */
  readonly loss: number;
  readonly duplication: number;
  /** Each datagram takes its own time between these, so that they overtake one another. */
  readonly delayMs: readonly [least: number, most: number];
}

export const CALM: Misfortune = { seed: 1, loss: 0, duplication: 0, delayMs: [5, 5] };

/** The mulberry32 generator: numbers of 0 to 1, the same for the same seed. */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};

const keyOf = ({ address, port }: Address): string => `${address} ${port}`;

export const createSeededNetwork = (clock: VirtualClock, misfortune: Misfortune = CALM): SeededNetwork => {
  const random = seededRandom(misfortune.seed);
  const handlers = new Map<string, OnMessage>();
  let judge: (octets: Uint8Array, from: Address, to: Address) => 'drop' | 'pass' | number = () => 'pass';

  const deliverLater = (octets: Uint8Array, from: Address, to: Address, extraMs: number): void => {
    const [least, most] = misfortune.delayMs;
    const delayMs = least + random() * (most - least) + extraMs;
    clock.wakeAfter(delayMs, () => handlers.get(keyOf(to))?.(octets, udpSource(from)));
  };

  const carry = (octets: Uint8Array, from: Address, to: Address): void => {
    const verdict = judge(octets, from, to);
    const copies = (random() < misfortune.loss ? 0 : 1) + (random() < misfortune.duplication ? 1 : 0);
    if (verdict === 'drop') return;
    for (let i = 0; i < copies; i++) deliverLater(octets, from, to, verdict === 'pass' ? 0 : verdict);
  };

  return {
    attach: (own) => ({
      ...own,
      portOf: () => own.port,
      onLost: () => undefined,
      send: (octets, to) => carry(octets.slice(), own, to),
      onMessage: (handler) => handlers.set(keyOf(own), handler),
      close: async () => {
        handlers.delete(keyOf(own));
      },
    }),
    intercept: (next) => {
      judge = next;
    },
  };
};
