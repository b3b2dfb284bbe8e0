/** What each outcome means (docs/manual.md). */
const WORDS: Readonly<Record<string, string>> = {
  completed: 'all clips were played',
  hung_up: 'answered, and ended by the callee before the last clip was over',
  busy: 'the callee was busy',
  no_answer: 'nobody answered in time',
  rejected: 'the callee or the trunk refused the call',
  unreachable: 'there was no way to the callee, or no answer to the INVITE',
  failed: 'signalling or media failed',
  cancelled: 'the blast was cancelled',
  interrupted: 'the server ended during the call',
  expired: 'it was not dialled in time',
};

/** An outcome with its meaning: `busy: the callee was busy`; `-` while there is none. */
export const outcomeWords = (outcome: string | null): string => {
  if (outcome === null) return '-';
  const words = WORDS[outcome];
  return words === undefined ? outcome : `${outcome}: ${words}`;
};
