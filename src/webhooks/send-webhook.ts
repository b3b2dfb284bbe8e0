import { lookup as lookupAddresses } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { SendWebhook } from '../domain/ports.ts';
import type { AddressGate } from './address-gate.ts';
import { post } from './post.ts';
import { signedRequest } from './sign.ts';

/** All of a delivery: name, connection, handshake, answer. */
const WHOLE_MS = 15_000;

export interface SendWebhookOptions {
  readonly mayReach: AddressGate;
  /** The addresses of a name, in the order of preference; the resolver of the system unless told. */
  readonly lookup?: (hostname: string) => Promise<readonly string[]>;
  /** As much as a delivery may take in all; 15 s unless told. */
  readonly withinMs?: number;
}

/** Posts deliveries, to public addresses only. Never rejects. */
export const createSendWebhook =
  ({ mayReach, lookup = systemLookup, withinMs = WHOLE_MS }: SendWebhookOptions): SendWebhook =>
  async (delivery, cancel) => {
    const signal = AbortSignal.any([cancel, AbortSignal.timeout(withinMs)]);
    try {
      const url = new URL(delivery.url);
      const addresses = await before(signal, addressesOf(url.hostname, lookup));
      const [address] = addresses;
      if (address === undefined || !addresses.every(mayReach))
        return { kind: 'refused', reason: 'its host has an address that webhooks may not reach' };
      return { kind: 'answered', status: await post(url, address, signedRequest(delivery), signal) };
    } catch (error) {
      return { kind: 'unanswered', reason: reasonOf(error, signal) };
    }
  };

/** An address that stands in the URL itself is not looked up. */
const addressesOf = async (
  hostname: string,
  lookup: (hostname: string) => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(literal) === 0 ? lookup(hostname) : [literal];
};

const systemLookup = async (hostname: string): Promise<readonly string[]> =>
  (await lookupAddresses(hostname, { all: true, order: 'verbatim' })).map(({ address }) => address);

const before = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
};

/** Codes only: a message may repeat the URL, which may hold a secret. */
const reasonOf = (error: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return 'time-out';
  return (error as NodeJS.ErrnoException).code ?? 'failed';
};
