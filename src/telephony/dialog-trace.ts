import type { Hop } from '../sip/hop.ts';
import { EMPTY_BODY, type SipMessage, type SipRequest, type SipResponse } from '../sip/message.ts';
import { withoutTag } from '../sip/name-addr.ts';
import { parseMessage } from '../sip/parse.ts';
import { serializeMessage } from '../sip/serialize.ts';
import { withoutCredentials } from './trunk-login.ts';

/** All that it takes to end a dialog: the INVITE, the latest answer to it, and where it was sent. */
export interface DialogTrace {
  readonly invite: SipRequest;
  readonly answer: SipResponse;
  readonly hop: Hop;
}

const textOf = (message: SipMessage): string => Buffer.from(serializeMessage(message)).toString('utf8');

/** The trace as a text to be stored; it holds neither credentials nor SDP. */
export const writeTrace = ({ invite, answer, hop }: DialogTrace): string => {
  const bare = { contentType: null, body: EMPTY_BODY, headers: [] };
  const head = textOf({ ...withoutCredentials(invite), ...bare });
  return JSON.stringify({ hop, invite: head, answer: textOf({ ...answer, ...bare }) });
};

const read = (text: string): SipMessage | null => {
  const parsed = parseMessage(Buffer.from(text, 'utf8'));
  return parsed.ok ? parsed.message : null;
};

/** Null for a text that is no trace. */
export const readTrace = (text: string): DialogTrace | null => {
  const { hop, ...texts } = JSON.parse(text) as { hop: Hop; invite: string; answer: string };
  const [invite, answer] = [read(texts.invite), read(texts.answer)];
  return invite?.kind === 'request' && answer?.kind === 'response' ? { invite, answer, hop } : null;
};

/** The trace that an answer shows by itself: Via, From, Call-ID and CSeq are those of the INVITE (RFC 3261 8.2.6). */
export const traceOfAnswer = (answer: SipResponse, hop: Hop): DialogTrace => ({
  invite: {
    ...answer,
    kind: 'request',
    method: 'INVITE',
    uri: answer.to.uri,
    to: withoutTag(answer.to),
    maxForwards: 70,
    contacts: [],
    recordRoutes: [],
  },
  answer,
  hop,
});
