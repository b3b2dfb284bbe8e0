/** How an attempt or a call ended. Every call ends in exactly one. */
export const OUTCOMES = [
  'completed',
  'hung_up',
  'busy',
  'no_answer',
  'rejected',
  'unreachable',
  'failed',
  'cancelled',
  'interrupted',
  'expired',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

const BY_STATUS: Readonly<Record<number, Outcome>> = {
  404: 'unreachable',
  408: 'no_answer',
  410: 'unreachable',
  480: 'no_answer',
  484: 'unreachable',
  486: 'busy',
  488: 'failed',
  600: 'busy',
  603: 'rejected',
  604: 'unreachable',
  606: 'failed',
};

/** The outcome that a final SIP refusal (300 to 699) stands for. */
export const outcomeOfSipStatus = (status: number): Outcome => {
  const known = BY_STATUS[status];
  if (known) return known;
  if (status < 400) return 'unreachable';
  if (status < 500) return 'rejected';
  if (status < 600) return 'unreachable';
  return 'rejected';
};

/** Causes of ITU-T Q.850 that say more than a general SIP status; general ones (16, 31, 127) are not among them. */
const BY_CAUSE: Readonly<Record<number, Outcome>> = {
  1: 'unreachable',
  2: 'unreachable',
  3: 'unreachable',
  17: 'busy',
  18: 'no_answer',
  19: 'no_answer',
  20: 'no_answer',
  21: 'rejected',
  22: 'unreachable',
  27: 'unreachable',
  28: 'unreachable',
  34: 'unreachable',
  38: 'unreachable',
  41: 'unreachable',
  42: 'unreachable',
  55: 'rejected',
  57: 'rejected',
  65: 'failed',
  79: 'failed',
  88: 'failed',
};

/** Statuses that are exact in themselves: no cause is asked. */
const EXACT: readonly number[] = [401, 404, 407, 410, 484, 486, 488, 600, 604, 606];

/** The outcome of a refusal that names a Q.850 cause (RFC 3326): the cause wins where it is the more exact of the two. */
export const outcomeOfRefusal = (status: number, cause: number | null): Outcome => {
  const byCause = cause === null || EXACT.includes(status) ? undefined : BY_CAUSE[cause];
  return byCause ?? outcomeOfSipStatus(status);
};
