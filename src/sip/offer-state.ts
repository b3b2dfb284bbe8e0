/**
 * Whether a dialog of ours can take another offer (RFC 3261 14, RFC 3311 5.2), as a table. `inviting` awaits the answer
 * to the offer of our INVITE; `answered` has it in a reliable provisional answer, while the INVITE itself is still open;
 * `reinviting` has a re-INVITE of ours under way; `offering` made the offer in its 2xx and awaits the ACK with the answer.
 * We answer every offer at once, so that none of the peer's is ever pending.
 */
export type OfferState = 'inviting' | 'answered' | 'stable' | 'reinviting' | 'offering';

interface Takes {
  /** Whether an INVITE can be taken. */
  readonly invite: boolean;
  /** Whether an offer in an UPDATE can be taken; an UPDATE without one always can. */
  readonly offer: boolean;
}

const TABLE: Readonly<Record<OfferState, Takes>> = {
  inviting: { invite: false, offer: false },
  answered: { invite: false, offer: true },
  stable: { invite: true, offer: true },
  reinviting: { invite: false, offer: false },
  offering: { invite: false, offer: false },
};

/** Whether a request of the peer meets an offer of ours that is not settled: it is then refused with 491. */
export const isGlare = (state: OfferState, method: 'INVITE' | 'UPDATE', hasOffer: boolean): boolean =>
  method === 'INVITE' ? !TABLE[state].invite : hasOffer && !TABLE[state].offer;
