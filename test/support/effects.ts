import type { Effect } from '../../src/sip/machine.ts';
import type { SipMessage } from '../../src/sip/message.ts';

const nameOf = (message: SipMessage): string =>
  message.kind === 'request' ? message.method : `${message.status} ${message.cseq.method}`;

/** Effects in words that a table can hold: `send ACK`, `set D 32000`. */
export const wordsOf = (effects: readonly Effect[]): string[] =>
  effects.map((effect) => {
    if (effect.kind === 'set-timer') return `set ${effect.timer} ${effect.afterMs}`;
    if (effect.kind === 'clear-timer') return `clear ${effect.timer}`;
    if (effect.kind === 'report') return `report ${effect.failure}`;
    return `${effect.kind} ${nameOf(effect.message)}`;
  });
