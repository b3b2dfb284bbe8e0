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
  readonly localAddress: string;
  /** What the offer says of us. */
  readonly local: LocalDescription;
  readonly srtp: SrtpPolicy;
  readonly comedia: boolean;
  /** Where a 3xx may lead. */
  readonly scope: RedirectScope;
}

const locatePeer = async (signalling: Signalling, target: LocateTarget): Promise<PreparedCall['hops']> => {
  try {
    const [first, ...others] = signalling.hops.rank(await signalling.locate(target));
    if (!first) throw new Error(`The host name ${target.host} has no address.`);
    return [first, ...others];
  } catch (error) {
    throw new CannotCall('unreachable', (error as Error).message, { cause: error });
  }
};

const findLocalAddress = async (signalling: Signalling, peer: Hop): Promise<string> => {
  try {
    return await signalling.findLocalAddress(peer);
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
  const hops = await locatePeer(signalling, target.at);
  const localAddress = await findLocalAddress(signalling, hops[0]);
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
  const invite = buildInvite(signalling, { order, uri: target.uri, localAddress, offer: writeOffer(local) });
  return {
    media: port,
    invite,
    hops,
    localAddress,
    local,
    srtp: order.srtp,
    comedia: order.comedia,
    scope: scopeOf(target, hops),
  };
};
