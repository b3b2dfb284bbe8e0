import { findHeaders, type Header, type SipRequest } from '../sip/message.ts';
import { isRegisteredMethod } from '../sip/methods.ts';
import { tagOf } from '../sip/name-addr.ts';
import { isSipUri } from '../sip/uri.ts';
import { ALLOW, ALLOWED_METHODS } from './signalling.ts';

export interface OutsideAnswer {
  readonly status: number;
  readonly headers: readonly Header[];
}

const SDP = 'application/sdp';
const ACCEPT: Header = { name: 'Accept', value: SDP };

const isSdp = (contentType: string | null): boolean => contentType?.split(';', 1)[0]?.trim().toLowerCase() === SDP;

const acceptsSdp = (request: SipRequest): boolean => {
  const accepted = findHeaders(request, 'Accept');
  return accepted.length === 0 || /application\/(?:sdp|\*)|\*\/\*/i.test(accepted.join());
};

/** An INVITE that could be understood is still refused: nobody is here to take calls. */
const statusOfInvite = (request: SipRequest): number => {
  if (request.body.length > 0 && !isSdp(request.contentType)) return 415;
  return acceptsSdp(request) ? 480 : 406;
};

const statusOfKnown = (request: SipRequest): number => {
  if (request.method === 'OPTIONS') return 200;
  return request.method === 'INVITE' ? statusOfInvite(request) : 481;
};

/**
 * How a request is answered that is part of no dialog of ours, checked in the order of RFC 3261 8.2: we answer OPTIONS
 * and take no calls.
 */
export const answerOutsideDialog = (request: SipRequest): OutsideAnswer => {
  const { method } = request;
  if (tagOf(request.to) !== null) return { status: 481, headers: [ALLOW] };
  if (!ALLOWED_METHODS.includes(method)) {
    return { status: isRegisteredMethod(method) ? 405 : 501, headers: [ALLOW] };
  }
  if (!isSipUri(request.uri)) return { status: 416, headers: [ALLOW] };
  const required = findHeaders(request, 'Require').join(', ');
  if (required !== '') return { status: 420, headers: [ALLOW, { name: 'Unsupported', value: required }] };
  return { status: statusOfKnown(request), headers: [ALLOW, ACCEPT] };
};
