import type { CallOrder } from '../domain/call.ts';
import type { Hop } from '../sip/hop.ts';
import type { SipRequest } from '../sip/message.ts';
import { type NameAddr, nameAddr, withTag } from '../sip/name-addr.ts';
import { asLogicalUri, asRequestUri, bracketHost, type SipUri, sipUri } from '../sip/uri.ts';
import { ALLOW, contactOf, type Signalling, USER_AGENT, viaOf } from './signalling.ts';

/** RFC 3323 4.1.1.3: who calls anonymously says so in these words. */
const ANONYMOUS = nameAddr(sipUri({ user: 'anonymous', host: 'anonymous.invalid' }), [], 'Anonymous');

/** From of our calls: the caller id as user and display name, or the anonymous address of RFC 3323. */
const callerOf = (callerId: string | null, localAddress: string): NameAddr =>
  callerId === null || callerId === ''
    ? ANONYMOUS
    : nameAddr(sipUri({ user: callerId, host: bracketHost(localAddress) }), [], callerId);

export interface InviteParts {
  readonly order: Pick<CallOrder, 'sipCallId' | 'fromTag' | 'branch' | 'callerId'>;
  readonly uri: SipUri;
  readonly peer: Hop;
  readonly localAddress: string;
  readonly offer: string;
}

/** Builds the INVITE under the names that were committed with the attempt (RFC 3261 13.2.1). */
export const buildInvite = (signalling: Signalling, parts: InviteParts): SipRequest => ({
  kind: 'request',
  method: 'INVITE',
  uri: asRequestUri(parts.uri),
  vias: [viaOf(signalling, parts.localAddress, parts.order.branch)],
  from: withTag(callerOf(parts.order.callerId, parts.localAddress), parts.order.fromTag),
  to: nameAddr(asLogicalUri(parts.uri)),
  callId: parts.order.sipCallId,
  cseq: { number: 1, method: 'INVITE' },
  maxForwards: 70,
  contacts: [contactOf(signalling, parts.localAddress, parts.peer.transport, parts.uri.scheme)],
  routes: [],
  recordRoutes: [],
  headers: [ALLOW, USER_AGENT],
  contentType: 'application/sdp',
  body: new TextEncoder().encode(parts.offer),
});
