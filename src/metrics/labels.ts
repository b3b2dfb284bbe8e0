/** Values of one label, for memory on both sides; each is at least one series. */
export const MAX_TRUNK_LABELS = 100;

/** Label of calls dialled without a trunk. */
export const DIRECT = 'direct';
/** Label of calls that ended without an attempt of this process. */
export const NONE = 'none';
/** Label that all trunks share once there are too many to be told apart. */
export const OTHER = 'other';

/** Label of the limits of the server, which hold for all trunks together. */
export const ALL = 'all';

export type TrunkLabel = (trunkId: string | null) => string;

/** Names trunks in labels: the first `MAX_TRUNK_LABELS` that are seen by their ids, the rest as one. */
export const createTrunkLabel = (): TrunkLabel => {
  const known = new Set<string>();
  return (trunkId) => {
    if (trunkId === null) return DIRECT;
    if (!known.has(trunkId)) {
      if (known.size >= MAX_TRUNK_LABELS) return OTHER;
      known.add(trunkId);
    }
    return trunkId;
  };
};
