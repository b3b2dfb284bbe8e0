import type { Outcome } from '../domain/outcome.ts';
import { retryAfterOf } from '../sip/delta-seconds.ts';
import type { Header, SipResponse } from '../sip/message.ts';
import { q850CauseOf, q850Header, reasonWords } from '../sip/reason.ts';
import type { CallMedia } from './call-media.ts';
import type { Answer } from './call-state.ts';

export const statusOf = ({ status, reason }: SipResponse): { readonly status: number; readonly reason: string } => ({
  status,
  reason,
});

/** Statuses with which Retry-After means this call (RFC 3261 21). */
const TELLS_WHEN: readonly number[] = [404, 413, 480, 486, 500, 503, 600, 603];

/** `Busy Here (Q.850 17: User busy)`. */
const phraseOf = (response: SipResponse): string => {
  const words = reasonWords(response);
  return words === null ? response.reason : `${response.reason} (${words})`.trim();
};

/** What a refusal tells; `words` of our own stand in for its reason phrase. */
export const refusalOf = (response: SipResponse, words: string | null) => ({
  status: response.status,
  reason: words ?? phraseOf(response),
  cause: q850CauseOf(response),
  retryAfterSeconds: TELLS_WHEN.includes(response.status) ? retryAfterOf(response) : null,
});

/** What the SDP of a 2xx, or of a reliable provisional answer before it, tells. */
export const readAnswer = (media: CallMedia, response: SipResponse): Answer => {
  const reading = media.takeAnswer(response.body);
  return reading.ok ? { media: reading.media } : { problem: reading.problem };
};

const NORMAL = q850Header(16, 'Normal call clearing');

const FAREWELLS: { readonly [O in Outcome]?: Header } = {
  no_answer: q850Header(19, 'No answer from user'),
  failed: q850Header(31, 'Normal, unspecified'),
  interrupted: q850Header(41, 'Temporary failure'),
};

/** Reason of our CANCEL or BYE (RFC 3326 2). */
export const farewellOf = (outcome: Outcome | null): Header => (outcome && FAREWELLS[outcome]) ?? NORMAL;
