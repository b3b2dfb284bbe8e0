import type { Hop } from '../sip/hop.ts';
import type { LocateTarget } from '../sip/server-location.ts';
import type { Signalling } from './signalling.ts';

/** The hops of a target that a route leads to. */
export interface Ways {
  readonly hops: readonly [Hop, ...Hop[]];
  /** The address of ours that a hop is reached from; for one that is not among `hops` that of the first. */
  readonly localAddressOf: (hop: Hop) => string;
}

/** Hops that failed lately come last. Rejects with a sentence if no route leads to any. */
export const findWays = async (
  signalling: Pick<Signalling, 'hops' | 'locate' | 'findLocalAddress'>,
  target: LocateTarget,
): Promise<Ways> => {
  const ranked = signalling.hops.rank(await signalling.locate(target));
  const found = await Promise.allSettled(
    ranked.map(async (hop) => ({ hop, localAddress: await signalling.findLocalAddress(hop) })),
  );
  const [first, ...others] = found.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  if (!first) throw found.find((each) => each.status === 'rejected')?.reason ?? new Error(noAddressOf(target));
  const addresses = new Map([first, ...others].map(({ hop, localAddress }) => [hop.address, localAddress]));
  return {
    hops: [first.hop, ...others.map(({ hop }) => hop)],
    localAddressOf: ({ address }) => addresses.get(address) ?? first.localAddress,
  };
};

const noAddressOf = ({ host }: LocateTarget): string => `The host name ${host} has no address.`;
