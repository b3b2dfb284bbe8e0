import { isDeepStrictEqual } from 'node:util';
import type { SipMessage } from '../../src/sip/message.ts';
import { parseMessage } from '../../src/sip/parse.ts';
import { refuseUnreadable } from '../../src/sip/refusal.ts';
import { serializeMessage } from '../../src/sip/serialize.ts';

const PRINTABLE = /^[\x20-\x7e]+$/;
const ALLOW = { name: 'Allow', value: 'INVITE' };

const comparable = (message: SipMessage): SipMessage => ({ ...message, body: Uint8Array.from(message.body) });

const problemOfRefusal = (octets: Uint8Array, problem: string): string | null => {
  if (!PRINTABLE.test(problem)) return `the problem is not fit for a log: ${JSON.stringify(problem)}`;
  const refusal = refuseUnreadable(octets, { problem, toTag: 't', headers: [ALLOW] });
  if (refusal === null) return null;
  const lines = new TextDecoder().decode(refusal).split('\r\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
  return lines.some((line) => /[\u0000-\u001f\u007f]/.test(line)) ? 'a refusal holds a control character' : null;
};

/**
 * What is wrong with how any octets are taken, or null: the parser must not throw, its problem must be fit for a log,
 * and what it understands must be written and understood again as the same message.
 */
export const faultOf = (octets: Uint8Array): string | null => {
  const result = parseMessage(octets);
  if (!result.ok) return problemOfRefusal(octets, result.problem);
  const again = parseMessage(serializeMessage(result.message));
  // Quoting, and a line for each value, can make of a message more than may be read.
  if (!again.ok) return /longer|more than/.test(again.problem) ? null : `written and not understood: ${again.problem}`;
  return isDeepStrictEqual(comparable(again.message), comparable(result.message)) ? null : 'written and read otherwise';
};
