import { parseDestination } from '../domain/destination.ts';
import { allowsNumber, type Trunk } from '../domain/trunk.ts';

/** Why a destination cannot be called over these trunks, as the end of a sentence; null if it can. */
export const whyNotCallable = (text: string, trunks: readonly Trunk[]): string | null => {
  const destination = parseDestination(text);
  if (!destination) return 'is neither an E.164 number nor a SIP URI';
  if (destination.kind === 'sip')
    return needsOtherTransport(text) ? 'asks for a transport that is none of udp, tcp and tls, or udp for sips' : null;
  if (trunks.length === 0) return 'is a number, which needs a trunk';
  return trunks.some((trunk) => allowsNumber(trunk, text)) ? null : 'is a number that no trunk of the network allows';
};

/** Whether a SIP URI asks for a transport that is not carried; `sips` is TLS, never UDP (RFC 3261 26.2.2). */
export const needsOtherTransport = (uri: string): boolean => {
  const [, stated] = /;transport=([^;]*)/i.exec(uri) ?? [];
  const carried = uri.startsWith('sips:') ? /^(?:tcp|tls)$/i : /^(?:udp|tcp|tls)$/i;
  return stated !== undefined && !carried.test(stated);
};
