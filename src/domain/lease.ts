/**
 * Leases of nodes. A node beats every 5 s; it may dial for 13 s after it sent the last beat that was taken. Another one
 * takes it over when it has itself seen no new beat of it for 15 s. All of it is measured by the monotonic clock of
 * whoever measures: no jump of any wall clock, that of the database included, ends a lease or prolongs it.
 */
export const HEARTBEAT_MS = 5000;
export const LEASE_MS = 15_000;
/** How much earlier a node stops than another may go on: clocks that run apart, and what is already on its way. */
const MARGIN_MS = 2000;
/**
 * The time between two looks counts for so much at most: perhaps nobody could beat meanwhile. Together with the 5 s that a
 * node is silent anyway it is less than a lease, and it still counts, or a slow database would put off every take-over.
 */
const LONGEST_BLINK_MS = 7000;

/** The node of what was claimed before there were nodes; it stands in each new database and never beats. */
export const BEFORE_NODES = '';

/** Whether a node whose last beat that was taken was sent at `beatSentAtMs` may dial. */
export const mayDial = (beatSentAtMs: number, nowMs: number): boolean => nowMs - beatSentAtMs < LEASE_MS - MARGIN_MS;

/** A node that has not been taken over, as the store shows it; each beat counts one. */
export interface NodeBeats {
  readonly nodeId: string;
  readonly beats: number;
}

/** What one node has seen of the others, by its monotonic clock. */
export interface Watch {
  readonly lookedAtMs: number;
  readonly seen: ReadonlyMap<string, { readonly beats: number; readonly silentMs: number }>;
}

export const NOTHING_SEEN: Watch = { lookedAtMs: Number.NEGATIVE_INFINITY, seen: new Map() };

/** The watch after a look at `nodes`: for how long each has been seen to show the same beat. */
export const look = (watch: Watch, nodes: readonly NodeBeats[], nowMs: number): Watch => {
  const passedMs = Math.min(nowMs - watch.lookedAtMs, LONGEST_BLINK_MS);
  const seen = nodes.map(({ nodeId, beats }) => {
    const before = watch.seen.get(nodeId);
    return [nodeId, { beats, silentMs: before?.beats === beats ? before.silentMs + passedMs : 0 }] as const;
  });
  return { lookedAtMs: nowMs, seen: new Map(seen) };
};

/** The nodes whose lease has run out. */
export const overdue = ({ seen }: Watch): readonly NodeBeats[] =>
  [...seen].filter(([, { silentMs }]) => silentMs >= LEASE_MS).map(([nodeId, { beats }]) => ({ nodeId, beats }));
