import type { CallTrunk } from '../domain/call.ts';
import { leadingSeconds } from '../sip/delta-seconds.ts';
import type { Hop, TransportName } from '../sip/hop.ts';
import { EMPTY_BODY, findHeader, type SipRequest, type SipResponse } from '../sip/message.ts';
import { type NameAddr, nameAddr, withTag } from '../sip/name-addr.ts';
import { findParam, type Params } from '../sip/params.ts';
import { bareHost, bracketHost, isSipUri, sipUri } from '../sip/uri.ts';
import { ALLOW, newBranch, type Signalling, USER_AGENT, viaOf } from './signalling.ts';

/** The names of one trunk's registration, the same for all of its requests (RFC 3261 10.2). */
export interface RegistrationNames {
  readonly callId: string;
  readonly fromTag: string;
}

const transportParams = (transport: TransportName): Params => (transport === 'udp' ? [] : [['transport', transport]]);

/**
 * Where a trunk reaches us over a transport. The user is the trunk's id, so that each trunk has a binding of its own where
 * two share a registrar; the address is the node's, so that each node of a database has one as well.
 */
const bindingOf = (signalling: Signalling, { id }: CallTrunk, { transport }: Hop, localAddress: string): NameAddr => {
  const host = bracketHost(localAddress);
  return nameAddr(sipUri({ user: id, host, port: signalling.portOf(transport), params: transportParams(transport) }));
};

/** A REGISTER for the user name of a trunk, without a Contact yet. */
export const buildRegister = (
  signalling: Signalling,
  trunk: CallTrunk,
  parts: RegistrationNames & {
    readonly cseq: number;
    readonly hop: Hop;
    readonly localAddress: string;
    readonly expiresS: number;
  },
): SipRequest => {
  const host = bracketHost(bareHost(trunk.host));
  const record = nameAddr(sipUri({ user: trunk.credentials?.username ?? '', host }));
  return {
    kind: 'request',
    method: 'REGISTER',
    uri: sipUri({ host, port: trunk.port, params: transportParams(parts.hop.transport) }),
    vias: [viaOf(signalling, parts.localAddress, newBranch(signalling.random))],
    from: withTag(record, parts.fromTag),
    to: record,
    callId: parts.callId,
    cseq: { number: parts.cseq, method: 'REGISTER' },
    maxForwards: 70,
    contacts: [],
    routes: [],
    recordRoutes: [],
    headers: [{ name: 'Expires', value: String(parts.expiresS) }, ALLOW, USER_AGENT],
    contentType: null,
    body: EMPTY_BODY,
  };
};

/** The REGISTER as a hop is to get it: in Via and Contact it names where we are reached from there. */
export const registerFor = (
  signalling: Signalling,
  trunk: CallTrunk,
  request: SipRequest,
  to: { readonly hop: Hop; readonly localAddress: string },
): SipRequest => {
  const [via, ...vias] = request.vias;
  return {
    ...request,
    vias: [{ ...via, host: bracketHost(to.localAddress) }, ...vias],
    contacts: [bindingOf(signalling, trunk, to.hop, to.localAddress)],
  };
};

/**
 * Our binding among those that a 200 lists: other nodes have theirs there, with the same user. One behind a NAT may be
 * known to the registrar by another address.
 */
const ownBinding = (request: SipRequest, response: SipResponse): NameAddr | undefined => {
  const ours = request.contacts[0]?.uri;
  if (!ours || !isSipUri(ours)) return undefined;
  const ofTrunk = response.contacts.filter(({ uri }) => isSipUri(uri) && uri.user === ours.user);
  return ofTrunk.find(({ uri }) => isSipUri(uri) && uri.host === ours.host && uri.port === ours.port) ?? ofTrunk[0];
};

/** For how long a 200 grants the Contact of `request`: what it says of that, else of all, else what was asked for. */
export const grantedSeconds = (request: SipRequest, response: SipResponse): number => {
  const bound = ownBinding(request, response);
  const said = (bound && findParam(bound.params, 'expires')) ?? findHeader(response, 'Expires');
  const asked = leadingSeconds(findHeader(request, 'Expires') ?? '') ?? 0;
  return (said ? leadingSeconds(said) : null) ?? asked;
};
