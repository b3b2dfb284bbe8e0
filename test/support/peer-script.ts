import type { Header, SipRequest } from '../../src/sip/message.ts';
import type { NameAddr } from '../../src/sip/name-addr.ts';
import type { ResponseParts } from '../../src/sip/response.ts';

/** What the called party does, in milliseconds after the INVITE came; what is absent does not happen. */
export interface PeerScript {
  readonly tryingAfterMs?: number;
  readonly ringAfterMs?: number;
  readonly answerAfterMs?: number;
  readonly refuse?: { readonly status: number; readonly afterMs: number };
  /** BYE so long after the ACK. */
  readonly hangUpAfterMs?: number;
  /** SDP of the 200 in place of a good one. */
  readonly answer?: string;
  /** What the 200 carries beside its SDP. */
  readonly answerHeaders?: readonly Header[];
  /** Answers a request inside the dialog other than ACK and BYE; by default 200, with SDP to an INVITE. */
  readonly serve?: (request: SipRequest) => { readonly status: number; readonly parts?: ResponseParts } | null;
  /** Whether CANCEL is left without any effect. */
  readonly isDeafToCancel?: boolean;
  /** Looks at each request but ACK and CANCEL before anything else is done with it: what it is refused with, or null. */
  readonly gate?: (request: SipRequest) => Refusal | null;
}

export interface Refusal {
  readonly status: number;
  readonly headers: readonly Header[];
  /** Of a 3xx. */
  readonly contacts?: readonly NameAddr[];
}
