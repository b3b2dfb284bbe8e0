import type { CallTrunk } from '../domain/call.ts';
import type { WakeAfter } from '../domain/ports.ts';
import type { TrunkRegistration } from '../domain/trunk.ts';
import type { KeptRegistration } from './keep-registered.ts';

/** The registrations of all trunks that want one. */
export interface Registrations {
  /** Registers with those that are new, leaves those that are gone; one that changed is left, then made anew. */
  follow(trunks: readonly CallTrunk[]): void;
  of(trunkId: string): TrunkRegistration | null;
  /** Leaves all, and waits for their answers 2 s at most. */
  close(): Promise<void>;
}

export const FAREWELL_MS = 2_000;

interface Entry {
  readonly trunk: CallTrunk;
  kept: KeptRegistration | null;
  /** Whether it is gone: what waits for its predecessor then does not begin. */
  isDropped: boolean;
}

const isSame = (a: CallTrunk, b: CallTrunk): boolean =>
  a.host === b.host &&
  a.port === b.port &&
  a.transport === b.transport &&
  a.credentials?.username === b.credentials?.username &&
  a.credentials?.password === b.credentials?.password;

const START: TrunkRegistration = { state: 'registering', expiresAt: null, reason: null };

export const createRegistrations = (options: {
  readonly register: (trunk: CallTrunk) => KeptRegistration;
  readonly wakeAfter: WakeAfter;
}): Registrations => {
  const entries = new Map<string, Entry>();
  let isClosed = false;

  const drop = (entry: Entry): Promise<void> => {
    entries.delete(entry.trunk.id);
    entry.isDropped = true;
    return entry.kept?.leave() ?? Promise.resolve();
  };

  /** After the last word to the one before: the two may be the same binding at the registrar. */
  const add = (trunk: CallTrunk, before: Promise<void>): void => {
    const entry: Entry = { trunk, kept: null, isDropped: false };
    entries.set(trunk.id, entry);
    void before.then(() => {
      if (!entry.isDropped) entry.kept = options.register(trunk);
    });
  };

  return {
    follow: (trunks) => {
      if (isClosed) return;
      const wanted = new Map(trunks.map((trunk) => [trunk.id, trunk]));
      for (const entry of [...entries.values()]) if (!wanted.has(entry.trunk.id)) void drop(entry);
      for (const trunk of trunks) {
        const known = entries.get(trunk.id);
        if (!known || !isSame(known.trunk, trunk)) add(trunk, known ? drop(known) : Promise.resolve());
      }
    },
    of: (trunkId) => {
      const entry = entries.get(trunkId);
      return entry ? (entry.kept?.now() ?? START) : null;
    },
    close: async () => {
      isClosed = true;
      const patience = Promise.withResolvers<void>();
      const cancel = options.wakeAfter(FAREWELL_MS, patience.resolve);
      await Promise.race([Promise.all([...entries.values()].map(drop)), patience.promise]);
      cancel();
    },
  };
};
