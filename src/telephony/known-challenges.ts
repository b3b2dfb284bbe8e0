import type { CallTrunk } from '../domain/call.ts';
import type { Challenge } from '../sip/digest.ts';

/** A challenge, and the header field that answers it. */
export interface AskedChallenge {
  readonly header: 'Authorization' | 'Proxy-Authorization';
  readonly challenge: Challenge;
}

/**
 * The last challenge of each trunk, so that later requests carry credentials from the start (RFC 7616 3.3). It is
 * forgotten when the trunk's address, user name or password changes.
 */
export interface KnownChallenges {
  /** Takes over a challenge that is being answered, and gives the nonce count of the answer. */
  learn(trunk: CallTrunk, asked: AskedChallenge): number;
  /** The challenge and the nonce count of this further use; null if none is known. */
  use(trunk: CallTrunk): (AskedChallenge & { readonly nonceCount: number }) | null;
  /** Its realm, without using it. */
  realm(trunk: CallTrunk): string | null;
  /** Notes that the trunk has taken what was answered. */
  prove(trunk: CallTrunk): void;
  isProved(trunk: CallTrunk): boolean;
  forget(trunk: CallTrunk): void;
}

interface Entry {
  readonly trunk: CallTrunk;
  asked: AskedChallenge;
  nonceCount: number;
  isProved: boolean;
}

const isSame = (a: CallTrunk, b: CallTrunk): boolean =>
  a.host === b.host &&
  a.port === b.port &&
  a.credentials?.username === b.credentials?.username &&
  a.credentials?.password === b.credentials?.password;

/** Keeps the challenges of the `limit` trunks that asked last. */
export const createKnownChallenges = (limit: number): KnownChallenges => {
  const entries = new Map<string, Entry>();

  const find = (trunk: CallTrunk): Entry | null => {
    const entry = entries.get(trunk.id);
    return entry && isSame(entry.trunk, trunk) ? entry : null;
  };

  return {
    learn: (trunk, asked) => {
      const known = find(trunk);
      const isAskedAgain = known?.asked.challenge.nonce === asked.challenge.nonce;
      const nonceCount = isAskedAgain ? known.nonceCount + 1 : 1;
      entries.delete(trunk.id);
      entries.set(trunk.id, { trunk, asked, nonceCount, isProved: known?.isProved ?? false });
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
      return nonceCount;
    },
    use: (trunk) => {
      const entry = find(trunk);
      if (!entry) return null;
      entry.nonceCount += 1;
      return { ...entry.asked, nonceCount: entry.nonceCount };
    },
    realm: (trunk) => find(trunk)?.asked.challenge.realm ?? null,
    prove: (trunk) => {
      const entry = find(trunk);
      if (entry) entry.isProved = true;
    },
    isProved: (trunk) => find(trunk)?.isProved ?? false,
    forget: (trunk) => {
      entries.delete(trunk.id);
    },
  };
};
