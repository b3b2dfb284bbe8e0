import { type Draft, MAX_HEADERS, newDraft, readHeaderLine } from './fields.ts';
import { isToken } from './grammar.ts';
import { Malformed, malformed } from './malformed.ts';
import { EMPTY_BODY, type SipFields, type SipMessage } from './message.ts';
import { isSipUri, parseUri, type Uri } from './uri.ts';
import type { Via } from './via.ts';

export { MAX_HEADERS };
export const MAX_MESSAGE_BYTES = 65_536;

export type ParseResult =
  | { readonly ok: true; readonly message: SipMessage }
  /** A sentence of our own, of printable ASCII: nothing of what was received is in it. */
  | { readonly ok: false; readonly problem: string };

// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const QUOTED_CONTROL = /\\[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Controls may stand in a header only as quoted-pairs, and CR and LF not even so (RFC 3261 25.1). */
const refuseControls = (text: string): void => {
  if (CONTROL.test(text) && CONTROL.test(text.replace(QUOTED_CONTROL, ''))) {
    malformed('a control character stands outside a quoted pair');
  }
};

const CR = 13;
const LF = 10;
const TAB = 9;
const SPACE = 32;
/** 1 for each octet that is no control, and for the tab. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, octet) =>
  octet === TAB || (octet >= SPACE && octet !== 127) ? 1 : 0,
);

interface Head {
  /** Index of the empty line. */
  readonly end: number;
  readonly isFolded: boolean;
  readonly hasControls: boolean;
}

/** One pass over the octets, up to the empty line that ends the headers. */
const scanHead = (octets: Uint8Array, start: number): Head => {
  let isFolded = false;
  let hasControls = false;
  for (let i = start; i < octets.length; i++) {
    const octet = octets[i] as number;
    if (PLAIN[octet] === 1) continue;
    if (octet !== CR || octets[i + 1] !== LF) hasControls = true;
    else {
      const next = octets[i + 2];
      if (next === CR && octets[i + 3] === LF) return { end: i, isFolded, hasControls };
      if (next === SPACE || next === TAB) isFolded = true;
      i++;
    }
  }
  return malformed('no empty line ends the headers');
};

/** RFC 3261 7.5: empty lines before the start line are ignored. */
const skipEmptyLines = (octets: Uint8Array): number => {
  let start = 0;
  while (octets[start] === CR && octets[start + 1] === LF) start += 2;
  return start;
};

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The start line and the header lines, unfolded. */
const linesOf = (octets: Uint8Array, start: number, head: Head): readonly string[] => {
  const text = decoder.decode(octets.subarray(start, head.end));
  const lines = (head.isFolded ? text.replace(/\r\n[ \t]+/g, ' ') : text).split('\r\n');
  if (lines.length > MAX_HEADERS + 1) malformed(`there are more than ${MAX_HEADERS} headers`);
  if (head.hasControls) lines.forEach(refuseControls);
  return lines;
};

/** RFC 3261 18.3: octets beyond Content-Length are dropped; too few make the message malformed. */
const readBody = (octets: Uint8Array, start: number, contentLength: number | null): Uint8Array => {
  const length = contentLength ?? octets.length - start;
  if (length > octets.length - start) malformed('the body is shorter than its Content-Length');
  return length === 0 ? EMPTY_BODY : octets.subarray(start, start + length);
};

const hasVia = (vias: Via[]): vias is [Via, ...Via[]] => vias.length > 0;

const finishFields = (draft: Draft, body: Uint8Array): SipFields => ({
  vias: hasVia(draft.vias) ? draft.vias : malformed('Via is missing'),
  from: draft.from ?? malformed('From is missing'),
  to: draft.to ?? malformed('To is missing'),
  callId: draft.callId ?? malformed('Call-ID is missing'),
  cseq: draft.cseq ?? malformed('CSeq is missing'),
  maxForwards: draft.maxForwards,
  contacts: draft.contacts,
  routes: draft.routes,
  recordRoutes: draft.recordRoutes,
  headers: draft.headers,
  contentType: draft.contentType,
  body,
});

/** RFC 3261 19.1.1, table 1: a Request-URI has no headers. */
const readRequestUri = (text: string): Uri => {
  const uri = parseUri(text) ?? malformed('the Request-URI is malformed');
  return isSipUri(uri) && uri.headers !== null ? malformed('the Request-URI has headers') : uri;
};

const STATUS_LINE = /^SIP\/2\.0 ([1-6][0-9]{2})(?: (.*))?$/is;

/** The fields are added to, not spread: every message comes through here. */
const finishMessage = (startLine: string, fields: SipFields): SipMessage => {
  const status = STATUS_LINE.exec(startLine);
  if (status)
    return Object.assign(fields, { kind: 'response', status: Number(status[1]), reason: status[2] ?? '' } as const);
  const [method = '', target = '', version = '', ...more] = startLine.split(' ');
  if (!isToken(method) || more.length > 0 || version.toUpperCase() !== 'SIP/2.0')
    malformed('the start line is malformed');
  if (fields.cseq.method !== method) malformed('CSeq names another method');
  return Object.assign(fields, { kind: 'request', method, uri: readRequestUri(target) } as const);
};

const parseOrThrow = (octets: Uint8Array): SipMessage => {
  if (octets.length > MAX_MESSAGE_BYTES) malformed(`the message is longer than ${MAX_MESSAGE_BYTES} octets`);
  const start = skipEmptyLines(octets);
  const head = scanHead(octets, start);
  const lines = linesOf(octets, start, head);
  const draft = newDraft();
  for (let i = 1; i < lines.length; i++) readHeaderLine(draft, lines[i] as string);
  return finishMessage(lines[0] as string, finishFields(draft, readBody(octets, head.end + 4, draft.contentLength)));
};

/**
 * Reads one datagram (RFC 3261 7). Compact and any-case names, folding, and white space where the grammar has LWS or
 * SWS are understood; octets that are no SIP give a problem. Never throws.
 */
export const parseMessage = (octets: Uint8Array): ParseResult => {
  try {
    return { ok: true, message: parseOrThrow(octets) };
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, problem: error.message };
    throw error;
  }
};
