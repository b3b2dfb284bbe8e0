import type { NoteSipMessage } from '../domain/sip-trace.ts';
import type { SipTransport } from './sip-transport.ts';

/** The transport, with every message that it carries told to `note` as well: the repeated ones too. */
export const tracedTransport = (transport: SipTransport, note: NoteSipMessage): SipTransport => ({
  ...transport,
  send: (octets, to, onError) => {
    note('sent', octets, to);
    transport.send(octets, to, onError);
  },
  onMessage: (handler) =>
    transport.onMessage((octets, from, isUnframed) => {
      note('received', octets, from);
      handler(octets, from, isUnframed);
    }),
});
