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
