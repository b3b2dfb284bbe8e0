import { EMPTY_BODY, type Header, type SipRequest, type SipResponse } from './message.ts';
import { type NameAddr, tagOf, withTag } from './name-addr.ts';

/** The reason phrases that Ringcast and its test phone send (RFC 3261 21). */
export const REASONS: Readonly<Record<number, string>> = {
  100: 'Trying',
  180: 'Ringing',
  183: 'Session Progress',
  200: 'OK',
  400: 'Bad Request',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  415: 'Unsupported Media Type',
  416: 'Unsupported URI Scheme',
  420: 'Bad Extension',
  422: 'Session Interval Too Small',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  491: 'Request Pending',
  500: 'Server Internal Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  505: 'Version Not Supported',
  603: 'Decline',
};

export interface ResponseParts {
  /** Our tag; put into To unless the request had one there, or the status is 100. */
  readonly toTag?: string;
  readonly contact?: NameAddr;
  readonly headers?: readonly Header[];
  readonly contentType?: string;
  readonly body?: Uint8Array;
}

/** Builds a response (RFC 3261 8.2.6): Via, From, Call-ID, CSeq and Record-Route are the request's own. */
export const respond = (request: SipRequest, status: number, parts: ResponseParts = {}): SipResponse => ({
  kind: 'response',
  status,
  reason: REASONS[status] ?? '',
  vias: request.vias,
  from: request.from,
  to:
    parts.toTag !== undefined && status > 100 && tagOf(request.to) === null
      ? withTag(request.to, parts.toTag)
      : request.to,
  callId: request.callId,
  cseq: request.cseq,
  maxForwards: null,
  contacts: parts.contact ? [parts.contact] : [],
  routes: [],
  recordRoutes: status > 100 && status < 300 ? request.recordRoutes : [],
  headers: parts.headers ?? [],
  contentType: parts.contentType ?? null,
  body: parts.body ?? EMPTY_BODY,
});
