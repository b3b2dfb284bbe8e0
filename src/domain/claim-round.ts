import { advance, laterSlotOf, latestOf, type Pace, slotOf } from './pacing.ts';
import { chargedNext, type InTurn, nextInTurn } from './turns.ts';

/** What calls may take of one thing: the server, a trunk, an application. Null for no limit. */
export interface CallLimits {
  readonly maxConcurrentCalls: number | null;
  readonly callsPerSecond: number | null;
}

/** Waiting calls that are dealt out one after another: those of one application for one list of trunks. */
export interface Queue {
  readonly seq: number;
  readonly applicationId: string;
  /** Tells lists of trunks apart. */
  readonly route: string;
  /** In the order they are tried; empty if dialled directly. */
  readonly trunkIds: readonly string[];
  readonly priority: number;
  readonly limits: CallLimits;
}

/** Names of the entries of the ledger. */
export const entryOf = {
  server: 'server',
  trunk: (id: string) => `trunk ${id}`,
  application: (id: string) => `application ${id}`,
  route: (route: string) => `route ${route}`,
  queue: (seq: number) => `queue ${seq}`,
  destination: (destination: string) => `destination ${destination}`,
};

/** The pacing ledger: of each entry the earliest time of its next call, and what it was charged for its turns. */
export interface LedgerEntry {
  readonly nextAt: number;
  readonly charged: number;
}
const NEW_ENTRY: LedgerEntry = { nextAt: 0, charged: 0 };

export interface RoundStart {
  readonly now: number;
  readonly server: CallLimits;
  /** By id; a trunk that is missing has no limits. */
  readonly trunks: ReadonlyMap<string, CallLimits>;
  readonly heldTrunkIds: readonly string[];
  /** Between the starts of two calls to one destination. */
  readonly destinationSpacingMs: number;
  readonly queues: readonly Queue[];
  readonly ledger: ReadonlyMap<string, LedgerEntry>;
  /** Calls in progress by the name of the entry; those that are missing have none. */
  readonly inProgress: ReadonlyMap<string, number>;
}

/** One round of claiming: deals slots to queues until a limit or the horizon is reached. */
export interface Slot {
  readonly at: number;
  /** Too late from then on; null for never. */
  readonly latestAt: number | null;
}

export interface ClaimRound {
  /** Whose turn it is among `waiting`, undefined if none of them has a way out that is free. */
  next(waiting: readonly Queue[]): Queue | undefined;
  /** Trunks of the queue that may not take a call now. */
  closedTrunks(queue: Queue): readonly string[];
  /** Takes a slot, null if there is none. */
  take(queue: Queue, trunkId: string | null, destination: string): Slot | null;
  /** Takes another slot for a call that could not be dialled at its own. */
  takeLater(queue: Queue, trunkId: string | null): Slot;
  /** What has changed. */
  ledger(): ReadonlyMap<string, LedgerEntry>;
}

export const startRound = (start: RoundStart): ClaimRound => {
  const { now } = start;
  const ledger = new Map(start.ledger);
  const inProgress = new Map(start.inProgress);
  const changed = new Set<string>();
  const entry = (name: string): LedgerEntry => ledger.get(name) ?? NEW_ENTRY;
  const change = (name: string, changes: Partial<LedgerEntry>): void => {
    ledger.set(name, { ...entry(name), ...changes });
    changed.add(name);
  };
  const pace = (name: string, limits: CallLimits | undefined): Pace => ({
    callsPerSecond: limits?.callsPerSecond ?? null,
    nextAt: entry(name).nextAt,
  });
  const isFull = (name: string, limits: CallLimits | undefined): boolean =>
    (inProgress.get(name) ?? 0) >= (limits?.maxConcurrentCalls ?? Number.POSITIVE_INFINITY);

  const levelsOf = (queue: Queue, trunkId: string | null): readonly (readonly [string, CallLimits | undefined])[] => [
    [entryOf.server, start.server],
    [entryOf.application(queue.applicationId), queue.limits],
    ...(trunkId === null ? [] : [[entryOf.trunk(trunkId), start.trunks.get(trunkId)] as const]),
  ];
  const slotFor = (queue: Queue, trunkId: string | null): number | null => {
    const levels = levelsOf(queue, trunkId);
    if (levels.some(([name, limits]) => isFull(name, limits))) return null;
    return slotOf(
      levels.map(([name, limits]) => pace(name, limits)),
      now,
    );
  };
  const isClosed = (queue: Queue, trunkId: string): boolean =>
    start.heldTrunkIds.includes(trunkId) || slotFor(queue, trunkId) === null;
  const isOpen = (queue: Queue): boolean =>
    queue.trunkIds.length === 0 ? slotFor(queue, null) !== null : queue.trunkIds.some((id) => !isClosed(queue, id));

  const ofRoute = (queues: readonly Queue[]) => queues.map((queue) => inTurn(queue, entryOf.queue(queue.seq)));
  const inTurn = (queue: Queue, name: string, weight = queue.priority): InTurn & { readonly queue: Queue } => ({
    queue,
    weight,
    charged: entry(name).charged,
  });
  const routesOf = (queues: readonly Queue[]) => {
    const first = new Map(queues.map((queue) => [queue.route, queue]));
    return [...first.values()].map((queue) => inTurn(queue, entryOf.route(queue.route), 1));
  };
  const charge = (queue: Queue): void => {
    const route = inTurn(queue, entryOf.route(queue.route), 1);
    change(entryOf.route(queue.route), { charged: chargedNext(route, routesOf(start.queues)), nextAt: now });
    const peers = ofRoute(start.queues.filter((one) => one.route === queue.route));
    const one = inTurn(queue, entryOf.queue(queue.seq));
    change(entryOf.queue(queue.seq), { charged: chargedNext(one, peers), nextAt: now });
  };

  const fill = (queue: Queue, trunkId: string | null, at: number): Slot => {
    const levels = levelsOf(queue, trunkId);
    const latestAt = latestOf(
      levels.map(([name, limits]) => pace(name, limits)),
      at,
      now,
    );
    for (const [name, limits] of levels)
      if (limits?.callsPerSecond != null) change(name, { nextAt: advance(pace(name, limits), at).nextAt });
    return { at, latestAt };
  };

  return {
    next(waiting) {
      const open = waiting.filter(isOpen);
      const route = nextInTurn(routesOf(open), routesOf(start.queues))?.queue.route;
      const peers = ofRoute(start.queues.filter((queue) => queue.route === route));
      return nextInTurn(ofRoute(open.filter((queue) => queue.route === route)), peers)?.queue;
    },
    closedTrunks: (queue) => queue.trunkIds.filter((id) => isClosed(queue, id)),
    take(queue, trunkId, destination) {
      const slot = slotFor(queue, trunkId);
      if (slot === null) return null;
      for (const [name] of levelsOf(queue, trunkId)) inProgress.set(name, (inProgress.get(name) ?? 0) + 1);
      if (start.destinationSpacingMs > 0)
        change(entryOf.destination(destination), { nextAt: slot + start.destinationSpacingMs });
      charge(queue);
      return fill(queue, trunkId, slot);
    },
    takeLater(queue, trunkId) {
      const paces = levelsOf(queue, trunkId).map(([name, limits]) => pace(name, limits));
      return fill(queue, trunkId, laterSlotOf(paces, now));
    },
    ledger: () => new Map([...changed].map((name) => [name, entry(name)])),
  };
};
