import type { CallOrder, CallTrunk } from '../domain/call.ts';
import { parseDestination } from '../domain/destination.ts';
import type { Outcome } from '../domain/outcome.ts';
import { transportOfUri } from '../sip/hop.ts';
import { type LocateTarget, targetOfUri } from '../sip/server-location.ts';
import { bracketHost, isSipUri, parseUri, type SipUri, sipUri } from '../sip/uri.ts';

/** Why no INVITE can be sent, and the outcome that this is. */
export class CannotCall extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CannotCall';
    this.outcome = outcome;
  }
}

/** What is called, and where its INVITE is sent. */
export interface CallTarget {
  readonly uri: SipUri;
  readonly at: LocateTarget;
  /** Over a trunk, the number or user that is dialled there; null without one. */
  readonly trunkUser: string | null;
}

/** Where a trunk is. */
export const targetOfTrunk = (trunk: Pick<CallTrunk, 'host' | 'port' | 'transport'>): LocateTarget => ({
  host: trunk.host,
  port: trunk.port,
  transport: trunk.transport,
});

const hostOfTrunk = (trunk: CallTrunk): string => (trunk.host.startsWith('[') ? trunk.host : bracketHost(trunk.host));

const numberUri = (number: string, trunk: CallTrunk): SipUri =>
  sipUri({ user: number, host: hostOfTrunk(trunk), port: trunk.port, params: [['user', 'phone']] });

const directUri = (text: string): SipUri => {
  const uri = parseUri(text);
  if (!uri || !isSipUri(uri)) throw new CannotCall('failed', 'The destination is no SIP URI.');
  return uri;
};

const targetOfDestination = (uri: SipUri): LocateTarget => {
  if (transportOfUri(uri) !== null) return targetOfUri(uri);
  throw new CannotCall('failed', 'The destination asks for another SIP transport than UDP, TCP and TLS.');
};

/** Throws `CannotCall` for what this version cannot carry. */
export const targetOf = (order: Pick<CallOrder, 'destination' | 'trunk'>): CallTarget => {
  const destination = parseDestination(order.destination);
  const { trunk } = order;
  if (!destination) throw new CannotCall('failed', 'The destination is neither an E.164 number nor a SIP URI.');
  if (destination.kind === 'number') {
    if (!trunk) throw new CannotCall('failed', 'A number needs a trunk, and this call has none.');
    return { uri: numberUri(destination.number, trunk), at: targetOfTrunk(trunk), trunkUser: destination.number };
  }
  const uri = directUri(destination.uri);
  if (trunk) return { uri, at: targetOfTrunk(trunk), trunkUser: uri.user ?? '' };
  return { uri, at: targetOfDestination(uri), trunkUser: null };
};
