import type { CallOrder } from '../domain/call.ts';
import type { MediaPort, MediaThread } from '../media/link.ts';
import { offeredCodecs } from '../sdp/audio-codec.ts';
import type { LocalDescription } from '../sdp/description.ts';
import { offerExtras, type SrtpPolicy, writeOffer } from '../sdp/offer-answer.ts';
import type { Hop } from '../sip/hop.ts';
import type { SipRequest } from '../sip/message.ts';
import type { LocateTarget } from '../sip/server-location.ts';
import { buildInvite } from './build-invite.ts';
import { offeredLines } from './call-crypto.ts';
import { type CallTarget, CannotCall, targetOf } from './call-target.ts';
import type { RedirectScope } from './redirects.ts';
import type { Signalling } from './signalling.ts';

/** Everything that has to be at hand before an INVITE may be sent. */
export interface PreparedCall {
  readonly media: MediaPort;
  /** Without a Contact yet. */
  readonly invite: SipRequest;
  readonly hops: readonly [Hop, ...Hop[]];
  /** The address of ours that a hop is reached from. */
  readonly localAddressOf: (hop: Hop) => string;
  /** What the offer says of us to the first hop, and as a text to any. */
  readonly local: LocalDescription;
  readonly offerFrom: (localAddress: string) => string;
  readonly srtp: SrtpPolicy;
  /** Where a 3xx may lead. */
  readonly scope: RedirectScope;
}

interface Way {
  readonly hop: Hop;
  readonly localAddress: string;
}

/** The hops that a route leads to, each with the address of ours that it starts from. Rejects if there is none. */
const findWays = async (signalling: Signalling, target: LocateTarget): Promise<readonly [Way, ...Way[]]> => {
  const hops = signalling.hops.rank(await signalling.locate(target));
  const found = await Promise.allSettled(
    hops.map(async (hop) => ({ hop, localAddress: await signalling.findLocalAddress(hop) })),
  );
  const [first, ...others] = found.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  if (first) return [first, ...others];
  throw found.find((each) => each.status === 'rejected')?.reason ?? new Error(`${target.host} has no address.`);
};

const locatePeer = async (signalling: Signalling, target: LocateTarget): Promise<readonly [Way, ...Way[]]> => {
  try {
    return await findWays(signalling, target);
  } catch (error) {
    throw new CannotCall('unreachable', (error as Error).message, { cause: error });
  }
};

const prepareMedia = async (media: MediaThread, order: CallOrder): Promise<MediaPort> => {
  try {
    return await media.prepare({ clips: order.clips, silences: order.silences });
  } catch (error) {
    throw new CannotCall('failed', (error as Error).message, { cause: error });
  }
};

const scopeOf = ({ at, trunkUser, uri }: CallTarget, hops: readonly Hop[]): RedirectScope => ({
  hosts: [at.host, ...hops.map(({ address }) => address)],
  port: at.port,
  user: trunkUser,
  scheme: uri.scheme,
});

/** Finds the peer, binds an RTP port and builds the INVITE. Rejects with `CannotCall`. The media port is last. */
export const prepareCall = async (
  signalling: Signalling,
  media: MediaThread,
  order: CallOrder,
): Promise<PreparedCall> => {
  const target = targetOf(order);
  const [first, ...others] = await locatePeer(signalling, target.at);
  const { localAddress } = first;
  const port = await prepareMedia(media, order);
  const local: LocalDescription = {
    sessionId: signalling.random.digits(15),
    version: 1,
    address: localAddress,
    port: port.port,
    codecs: offeredCodecs(order.codecs),
    direction: 'sendrecv',
    extras: offerExtras(order.codecs, order.srtp, order.srtp === 'off' ? [] : offeredLines(signalling.random)),
  };
  const offerFrom = (address: string): string => writeOffer({ ...local, address });
  const invite = buildInvite(signalling, { order, uri: target.uri, localAddress, offer: offerFrom(localAddress) });
  const hops: PreparedCall['hops'] = [first.hop, ...others.map(({ hop }) => hop)];
  const addresses = new Map([first, ...others].map((way) => [way.hop.address, way.localAddress]));
  const localAddressOf = ({ address }: Hop): string => addresses.get(address) ?? localAddress;
  const scope = scopeOf(target, hops);
  return { media: port, invite, hops, localAddressOf, local, offerFrom, srtp: order.srtp, scope };
};
