import type { Hop } from '../sip/hop.ts';
import type { SipRequest } from '../sip/message.ts';
import { requestOver } from '../sip/request.ts';
import { serializeMessage } from '../sip/serialize.ts';
import { type Signalling, withNextHop } from './signalling.ts';

/**
 * What sends the ACK of a 2xx, each time the same octets (RFC 3261 13.2.2.4). After the first time it holds these alone:
 * it outlives its call by 64*T1.
 */
export const ackSender = (signalling: Signalling, ack: SipRequest, peer: Hop): (() => void) => {
  const { log, portOf, send } = signalling;
  const { callId } = ack;
  let unsent: SipRequest | null = ack;
  let way: { readonly octets: Uint8Array; readonly to: Hop } | null = null;
  const onError = (error: Error): void => log.warn({ err: error, callId }, 'an ACK could not be sent');
  const sendAgain = (): void => way?.to && send(way.octets, way.to, onError);
  const sendFirst = (to: Hop): void => {
    if (unsent) way = { octets: serializeMessage(requestOver(unsent, to.transport, portOf(to.transport))), to };
    unsent = null;
    sendAgain();
  };
  return () => {
    if (unsent) withNextHop(signalling, unsent, peer, sendFirst);
    else sendAgain();
  };
};
