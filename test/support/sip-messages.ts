import { EMPTY_BODY, type SipRequest, type SipResponse } from '../../src/sip/message.ts';
import { nameAddr, withTag } from '../../src/sip/name-addr.ts';
import { respond } from '../../src/sip/response.ts';
import { sipUri } from '../../src/sip/uri.ts';
import { udpVia } from '../../src/sip/via.ts';

/** A plain request to work from. */
export const requestOf = (method: string, change: Partial<SipRequest> = {}): SipRequest => ({
  kind: 'request',
  method,
  uri: sipUri({ user: 'bob', host: '192.0.2.2' }),
  vias: [udpVia('192.0.2.1', 5060, 'z9hG4bK-1')],
  from: withTag(nameAddr(sipUri({ user: 'alice', host: '192.0.2.1' })), 'a'),
  to: nameAddr(sipUri({ user: 'bob', host: '192.0.2.2' })),
  callId: 'call@192.0.2.1',
  cseq: { number: 1, method },
  maxForwards: 70,
  contacts: [nameAddr(sipUri({ user: 'alice', host: '192.0.2.1' }))],
  routes: [],
  recordRoutes: [],
  headers: [],
  contentType: null,
  body: EMPTY_BODY,
  ...change,
});

/** The answer to `requestOf(method)`. */
export const responseOf = (status: number, method = 'INVITE', toTag = 'b'): SipResponse =>
  respond(requestOf(method), status, { toTag });

/** What came, in order. */
export const methodsOf = (requests: readonly SipRequest[]): string[] => requests.map((request) => request.method);
