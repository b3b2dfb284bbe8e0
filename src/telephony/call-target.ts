import type { CallOrder, CallTrunk } from '../domain/call.ts';
import { parseDestination } from '../domain/destination.ts';
import type { Outcome } from '../domain/outcome.ts';
import { type TransportName, transportOfUri } from '../sip/hop.ts';
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
  readonly host: string;
  readonly port: number | null;
  readonly transport: TransportName;
  /** Over a trunk, the number or user that is dialled there; null without one. */
  readonly trunkUser: string | null;
}

const hostOfTrunk = (trunk: CallTrunk): string => (trunk.host.startsWith('[') ? trunk.host : bracketHost(trunk.host));

const numberUri = (number: string, trunk: CallTrunk): SipUri =>
  sipUri({ user: number, host: hostOfTrunk(trunk), port: trunk.port, params: [['user', 'phone']] });

const directUri = (text: string): SipUri => {
  const uri = parseUri(text);
  if (!uri || !isSipUri(uri)) throw new CannotCall('failed', 'The destination is no SIP URI.');
  return uri;
};

const transportOfDestination = (uri: SipUri): TransportName => {
  const transport = transportOfUri(uri);
  if (transport !== null) return transport;
  throw new CannotCall('failed', 'The destination asks for another SIP transport than UDP, TCP and TLS.');
};

const wayOf = (trunk: CallTrunk): Pick<CallTarget, 'host' | 'port' | 'transport'> => {
  const { port, transport } = trunk;
  return { host: hostOfTrunk(trunk), port, transport };
};

/** Throws `CannotCall` for what this version cannot carry. */
export const targetOf = (order: Pick<CallOrder, 'destination' | 'trunk'>): CallTarget => {
  const destination = parseDestination(order.destination);
  const { trunk } = order;
  if (!destination) throw new CannotCall('failed', 'The destination is neither an E.164 number nor a SIP URI.');
  if (destination.kind === 'number') {
    if (!trunk) throw new CannotCall('failed', 'A number needs a trunk, and this call has none.');
    return { uri: numberUri(destination.number, trunk), ...wayOf(trunk), trunkUser: destination.number };
  }
  const uri = directUri(destination.uri);
  if (trunk) return { uri, ...wayOf(trunk), trunkUser: uri.user ?? '' };
  return { uri, host: uri.host, port: uri.port, transport: transportOfDestination(uri), trunkUser: null };
};
