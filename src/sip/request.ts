import type { TransportName } from './hop.ts';
import { EMPTY_BODY, type Header, type SipRequest, type SipResponse } from './message.ts';
import { withBranch } from './via.ts';

/** What ACK of a refusal and CANCEL share: the INVITE's own names, its topmost Via alone, no body. */
const companionOf = (invite: SipRequest, method: string): SipRequest => ({
  ...invite,
  method,
  vias: [invite.vias[0]],
  cseq: { number: invite.cseq.number, method },
  maxForwards: 70,
  contacts: [],
  recordRoutes: [],
  headers: [],
  contentType: null,
  body: EMPTY_BODY,
});

/** What of a request is still of use once it is answered: its names and where it goes, for an ACK. */
export const withoutContent = (request: SipRequest): SipRequest => ({
  ...request,
  contacts: [],
  headers: [],
  contentType: null,
  body: EMPTY_BODY,
});

/** The ACK that the INVITE client transaction itself sends for a 300 to 699 (RFC 3261 17.1.1.3). */
export const ackOfRefusal = (invite: SipRequest, response: SipResponse): SipRequest => ({
  ...companionOf(invite, 'ACK'),
  to: response.to,
});

/** The CANCEL of an INVITE; to be sent only after a provisional answer (RFC 3261 9.1). */
export const cancelOf = (invite: SipRequest, headers: readonly Header[] = []): SipRequest => ({
  ...companionOf(invite, 'CANCEL'),
  headers,
});

/** The same request in a new transaction: the next CSeq number, all other names as they were (RFC 3261 22.2). */
export const requestAgain = (request: SipRequest, branch: string): SipRequest => ({
  ...request,
  vias: [withBranch(request.vias[0], branch)],
  cseq: { number: request.cseq.number + 1, method: request.method },
});

/** The request with its topmost Via as the transport that sends it completes it (RFC 3261 18.1.1). */
export const requestOver = (request: SipRequest, transport: TransportName, port: number | null): SipRequest => {
  const [via, ...vias] = request.vias;
  return { ...request, vias: [{ ...via, transport: transport.toUpperCase(), port }, ...vias] };
};

/** The request with this header in place of any of the same name. */
export const withHeader = (request: SipRequest, header: Header): SipRequest => ({
  ...request,
  headers: [...request.headers.filter(({ name }) => name !== header.name), header],
});
