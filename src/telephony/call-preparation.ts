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
import { findWays, type Ways } from './ways.ts';

/** Everything that has to be at hand before an INVITE may be sent. */
export interface PreparedCall extends Ways {
  readonly media: MediaPort;
  /** Without a Contact yet. */
  readonly invite: SipRequest;
  /** What the offer says of us to the first hop, and as a text to any. */
  readonly local: LocalDescription;
  readonly offerFrom: (localAddress: string) => string;
  readonly srtp: SrtpPolicy;
  readonly comedia: boolean;
  /** Where a 3xx may lead. */
  readonly scope: RedirectScope;
}

const locatePeer = async (signalling: Signalling, target: LocateTarget): Promise<Ways> => {
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
  const { hops, localAddressOf } = await locatePeer(signalling, target.at);
  const localAddress = localAddressOf(hops[0]);
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
  const scope = scopeOf(target, hops);
  const { srtp, comedia } = order;
  return { media: port, invite, hops, localAddressOf, local, offerFrom, srtp, comedia, scope };
};
