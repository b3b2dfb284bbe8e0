import { findHeader, type Header, type SipResponse } from './message.ts';
import { hasToken } from './option-tags.ts';

/** RSeq number of a provisional answer that wants a PRACK (RFC 3262 3); null if it wants none. */
export const rseqOf = (response: SipResponse): number | null => {
  if (response.status <= 100 || response.status >= 200 || !hasToken(response, 'Require', '100rel')) return null;
  const value = findHeader(response, 'RSeq') ?? '';
  return /^[0-9]{1,10}$/.test(value) && Number(value) < 2 ** 32 ? Number(value) : null;
};

/**
 * Whether a reliable provisional answer is the one to be taken now, in one early dialog: the first, or the next in
 * order. Repeats and those beyond a gap are neither acknowledged nor processed (RFC 3262 4).
 */
export const isNextReliable = (last: number | null, rseq: number): boolean => last === null || rseq === last + 1;

/** Header of the PRACK of a provisional answer (RFC 3262 7.2). */
export const rackOf = (response: SipResponse, rseq: number): Header => ({
  name: 'RAck',
  value: `${rseq} ${response.cseq.number} ${response.cseq.method}`,
});
