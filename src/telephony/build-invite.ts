import type { CallOrder } from '../domain/call.ts';
import type { Header, SipRequest } from '../sip/message.ts';
import { type NameAddr, nameAddr, serializeNameAddr, withTag } from '../sip/name-addr.ts';
import { ASKED_SECONDS, sessionExpires } from '../sip/session-timer.ts';
import { asLogicalUri, asRequestUri, bracketHost, type SipUri, sipUri } from '../sip/uri.ts';
import { ALLOW, type Signalling, SUPPORTED, USER_AGENT, viaOf } from './signalling.ts';

/** RFC 3323 4.1.1.3: who calls anonymously says so in these words. */
const ANONYMOUS = nameAddr(sipUri({ user: 'anonymous', host: 'anonymous.invalid' }), [], 'Anonymous');

const isAnonymous = (callerId: string | null): callerId is null | '' => callerId === null || callerId === '';

const callerUri = (callerId: string, localAddress: string): SipUri =>
  sipUri({ user: callerId, host: bracketHost(localAddress) });

/** From of our calls: the caller id as user and display name, or the anonymous address of RFC 3323. */
const callerOf = (callerId: string | null, localAddress: string): NameAddr =>
  isAnonymous(callerId) ? ANONYMOUS : nameAddr(callerUri(callerId, localAddress), [], callerId);

/**
 * Who calls, told to a trunk, which is trusted to keep it (RFC 3325 9.1), and to nobody else. An anonymous call asserts
 * nothing, and asks that whatever the trunk itself knows goes no further.
 */
const identityHeaders = ({ order, localAddress }: InviteParts): readonly Header[] => {
  const { callerId } = order;
  if (isAnonymous(callerId)) return [{ name: 'Privacy', value: 'id' }];
  const identity = serializeNameAddr(nameAddr(callerUri(callerId, localAddress)));
  return order.trunk ? [{ name: 'P-Asserted-Identity', value: identity }] : [];
};

/** The INVITE as it leaves from an address of ours, which need not be that of its first hop: in Via and in the offer. */
export const sentFrom = (
  invite: SipRequest,
  localAddress: string,
  offerFrom: (localAddress: string) => string,
): SipRequest => {
  const [via, ...vias] = invite.vias;
  const host = bracketHost(localAddress);
  if (via.host === host) return invite;
  return { ...invite, vias: [{ ...via, host }, ...vias], body: new TextEncoder().encode(offerFrom(localAddress)) };
};

export interface InviteParts {
  readonly order: Pick<CallOrder, 'sipCallId' | 'fromTag' | 'branch' | 'callerId' | 'trunk'>;
  readonly uri: SipUri;
  readonly localAddress: string;
  readonly offer: string;
}

/**
 * Builds the INVITE under the names that were committed with the attempt (RFC 3261 13.2.1). Its Contact is wanting:
 * that depends on the hop.
 */
export const buildInvite = (signalling: Pick<Signalling, 'portOf'>, parts: InviteParts): SipRequest => ({
  kind: 'request',
  method: 'INVITE',
  uri: asRequestUri(parts.uri),
  vias: [viaOf(signalling, parts.localAddress, parts.order.branch)],
  from: withTag(callerOf(parts.order.callerId, parts.localAddress), parts.order.fromTag),
  to: nameAddr(asLogicalUri(parts.uri)),
  callId: parts.order.sipCallId,
  cseq: { number: 1, method: 'INVITE' },
  maxForwards: 70,
  contacts: [],
  routes: [],
  recordRoutes: [],
  headers: [ALLOW, SUPPORTED, sessionExpires(ASKED_SECONDS), ...identityHeaders(parts), USER_AGENT],
  contentType: 'application/sdp',
  body: new TextEncoder().encode(parts.offer),
});
