import type { CallOrder, CallTrunk } from '../domain/call.ts';
import { parseDestination } from '../domain/destination.ts';
import type { Outcome } from '../domain/outcome.ts';
import { findParam } from '../sip/params.ts';
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
  /** Over a trunk, the number or user that is dialled there; null without one. */
  readonly trunkUser: string | null;
}

const hostOfTrunk = (trunk: CallTrunk): string => (trunk.host.startsWith('[') ? trunk.host : bracketHost(trunk.host));

const numberUri = (number: string, trunk: CallTrunk): SipUri =>
  sipUri({ user: number, host: hostOfTrunk(trunk), port: trunk.port, params: [['user', 'phone']] });

const directUri = (text: string): SipUri => {
  const uri = parseUri(text);
  if (!uri || !isSipUri(uri)) throw new CannotCall('failed', 'The destination is no SIP URI.');
  if (uri.scheme === 'sips') {
    throw new CannotCall('failed', 'The destination is a sips: URI, and SIP over TLS is not supported yet.');
  }
  const transport = findParam(uri.params, 'transport')?.toLowerCase();
  if (transport !== undefined && transport !== 'udp') {
    throw new CannotCall(
      'failed',
      'The destination asks for another SIP transport than UDP, which is not supported yet.',
    );
  }
  return uri;
};

/** Throws `CannotCall` for what this version cannot carry. */
export const targetOf = (order: Pick<CallOrder, 'destination' | 'trunk'>): CallTarget => {
  const destination = parseDestination(order.destination);
  const { trunk } = order;
  if (!destination) throw new CannotCall('failed', 'The destination is neither an E.164 number nor a SIP URI.');
  if (destination.kind === 'number') {
    if (!trunk) throw new CannotCall('failed', 'A number needs a trunk, and this call has none.');
    const { number } = destination;
    return { uri: numberUri(number, trunk), host: hostOfTrunk(trunk), port: trunk.port, trunkUser: number };
  }
  const uri = directUri(destination.uri);
  if (trunk) return { uri, host: hostOfTrunk(trunk), port: trunk.port, trunkUser: uri.user ?? '' };
  return { uri, host: uri.host, port: uri.port, trunkUser: null };
};
