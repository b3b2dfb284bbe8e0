import { lookup, Resolver } from 'node:dns/promises';
import type { WakeAfter } from '../domain/ports.ts';
import type { NaptrRecord, SrvRecord } from '../sip/server-location.ts';
import { createDnsCache, type DnsAnswer } from './dns-cache.ts';

/** The questions of RFC 3263. Each answers with no records if there are none, and rejects if nobody could tell. */
export interface Dns {
  naptr(name: string): Promise<readonly NaptrRecord[]>;
  srv(name: string): Promise<readonly SrvRecord[]>;
  addresses(name: string, family: 4 | 6): Promise<readonly string[]>;
  /** What the system knows of the name: its hosts file, its search domains. */
  system(name: string, family: 4 | 6): Promise<readonly string[]>;
}

/** Node tells the TTL of A and AAAA alone: all other answers are taken to hold for this long (ADR 12). */
export const ASSUMED_TTL_MS = 60_000;
export const NEGATIVE_TTL_MS = 30_000;
/** Whatever name servers there are and however often each is asked, nobody waits longer for one answer. */
export const QUERY_PATIENCE_MS = 5_000;

const FIRST_TRY_MS = 1_500;
const TRIES = 2;
const MAX_QUESTIONS = 4_096;

/** What c-ares says of names, and of types, that do not exist (RFC 2308). */
const NEGATIVE: readonly unknown[] = ['ENOTFOUND', 'ENODATA'];

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : null);

const assumed = <T>(records: readonly T[]): DnsAnswer<T> => ({ records, ttlMs: ASSUMED_TTL_MS });

const timed = (found: readonly { readonly address: string; readonly ttl: number }[]): DnsAnswer<string> => ({
  records: found.map(({ address }) => address),
  ttlMs: 1000 * Math.min(...found.map(({ ttl }) => ttl)),
});

/** Asks the name servers of the system, or `servers` (`ADDRESS:PORT`), through a cache of 4,096 answers. */
export const createDns = (options: {
  readonly monotonicMs: () => number;
  readonly wakeAfter: WakeAfter;
  readonly servers?: readonly string[];
}): Dns => {
  const resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });
  if (options.servers) resolver.setServers(options.servers);
  const cache = createDnsCache({ monotonicMs: options.monotonicMs, limit: MAX_QUESTIONS });

  const inTime = <T>(query: Promise<T>): Promise<T> => {
    const late = Promise.withResolvers<never>();
    const cancel = options.wakeAfter(QUERY_PATIENCE_MS, () => late.reject(new Error('No name server answered.')));
    return Promise.race([query, late.promise]).finally(cancel);
  };

  const ask = <T>(type: string, name: string, query: () => Promise<DnsAnswer<T>>): Promise<readonly T[]> =>
    cache.ask(`${type} ${name.toLowerCase()}`, () =>
      inTime(query()).catch((error: unknown) => {
        if (NEGATIVE.includes(codeOf(error))) return { records: [], ttlMs: NEGATIVE_TTL_MS };
        throw error;
      }),
    );

  return {
    naptr: (name) => ask('NAPTR', name, async () => assumed(await resolver.resolveNaptr(name))),
    srv: (name) => ask('SRV', name, async () => assumed(await resolver.resolveSrv(name))),
    addresses: (name, family) =>
      family === 4
        ? ask('A', name, async () => timed(await resolver.resolve4(name, { ttl: true })))
        : ask('AAAA', name, async () => timed(await resolver.resolve6(name, { ttl: true }))),
    system: (name, family) =>
      ask(`system ${family}`, name, async () =>
        assumed((await lookup(name, { family, all: true })).map(({ address }) => address)),
      ),
  };
};
