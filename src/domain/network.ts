/** The callable target of a blast. */
export interface Network {
  readonly id: string;
  readonly name: string;
  readonly destinations: readonly string[];
  /** In the order they are tried. */
  readonly trunkIds: readonly string[];
  readonly callerId: string | null;
  readonly applicationIds: readonly string[];
  readonly createdAt: number;
}

export const MAX_DESTINATIONS = 100_000;

/** The ways out to a network, as far as "can it be called now" needs them. */
export interface Routes {
  readonly trunkIds: readonly string[];
  /** SIP URIs dialled without a trunk; empty if the network has trunks. A sample of at most 100. */
  readonly directUris: readonly string[];
  readonly destinationCount: number;
}
