import { isToken, splitOutsideQuotes } from './grammar.ts';
import { type CSeq, EMPTY_BODY, type Header, type SipFields, type SipMessage } from './message.ts';
import { type NameAddr, parseNameAddr } from './name-addr.ts';
import { parseUri } from './uri.ts';
import { parseVia, type Via } from './via.ts';

export const MAX_MESSAGE_BYTES = 65_536;
/** Header lines, and values of one header, that a message may have. */
export const MAX_HEADERS = 256;

export type ParseResult =
  | { readonly ok: true; readonly message: SipMessage }
  | { readonly ok: false; readonly problem: string };

/** Compact forms (RFC 3261 7.3.3, and the IANA registry for the extensions). */
const LONG_NAMES: Readonly<Record<string, string>> = {
  a: 'Accept-Contact',
  b: 'Referred-By',
  c: 'Content-Type',
  d: 'Request-Disposition',
  e: 'Content-Encoding',
  f: 'From',
  i: 'Call-ID',
  j: 'Reject-Contact',
  k: 'Supported',
  l: 'Content-Length',
  m: 'Contact',
  o: 'Event',
  r: 'Refer-To',
  s: 'Subject',
  t: 'To',
  u: 'Allow-Events',
  v: 'Via',
  x: 'Session-Expires',
  y: 'Identity',
};

/** Thrown and caught inside this file only: it carries the sentence of the result. */
class Malformed extends Error {}

const malformed = (problem: string): never => {
  throw new Malformed(problem);
};

interface Draft {
  readonly vias: Via[];
  from?: NameAddr;
  to?: NameAddr;
  callId?: string;
  cseq?: CSeq;
  maxForwards?: number;
  contentLength?: number;
  contentType?: string;
  readonly contacts: NameAddr[];
  readonly routes: NameAddr[];
  readonly recordRoutes: NameAddr[];
  readonly headers: Header[];
}

type SingleField = 'from' | 'to' | 'callId' | 'cseq' | 'maxForwards' | 'contentLength' | 'contentType';

const single =
  <K extends SingleField>(name: K, parse: (value: string) => NonNullable<Draft[K]> | null) =>
  (draft: Draft, value: string): void => {
    if (draft[name] !== undefined) malformed(`${name} appears twice`);
    draft[name] = parse(value) ?? malformed(`${name} is malformed`);
  };

const list =
  <K extends 'vias' | 'contacts' | 'routes' | 'recordRoutes'>(
    name: K,
    parse: (value: string) => Draft[K][number] | null,
  ) =>
  (draft: Draft, value: string): void => {
    const values: unknown[] = draft[name];
    for (const part of splitOutsideQuotes(value, ',') ?? malformed(`${name}: a quote is left open`)) {
      values.push(parse(part) ?? malformed(`${name} is malformed`));
      if (values.length > MAX_HEADERS) malformed(`more than ${MAX_HEADERS} ${name}`);
    }
  };

const parseNumber =
  (max: number) =>
  (value: string): number | null =>
    /^[0-9]{1,10}$/.test(value) && Number(value) <= max ? Number(value) : null;

/** RFC 3261 8.1.1.5: the number is below 2^31. */
const parseCSeq = (value: string): CSeq | null => {
  const match = /^([0-9]{1,10})[ \t]+(\S+)$/.exec(value);
  const number = Number(match?.[1]);
  const method = match?.[2] ?? '';
  return match && number < 2 ** 31 && isToken(method) ? { number, method } : null;
};

const contacts = list('contacts', parseNameAddr);

const FIELDS: Readonly<Record<string, (draft: Draft, value: string) => void>> = {
  via: list('vias', parseVia),
  from: single('from', parseNameAddr),
  to: single('to', parseNameAddr),
  'call-id': single('callId', (value) => (/^[\x21-\x7e]{1,512}$/.test(value) ? value : null)),
  cseq: single('cseq', parseCSeq),
  'max-forwards': single('maxForwards', parseNumber(255)),
  'content-length': single('contentLength', parseNumber(0xffff_ffff)),
  'content-type': single('contentType', (value) => (value === '' ? null : value)),
  route: list('routes', parseNameAddr),
  'record-route': list('recordRoutes', parseNameAddr),
  contact: (draft, value) => {
    // `Contact: *` (REGISTER only) is no address: it stays among the untyped headers.
    if (value === '*') draft.headers.push({ name: 'Contact', value });
    else contacts(draft, value);
  },
};

const readHeaderLine = (draft: Draft, line: string): void => {
  const colon = line.indexOf(':');
  const written = line.slice(0, Math.max(colon, 0)).trimEnd();
  if (!isToken(written)) malformed('a header line has no name');
  const name = (written.length === 1 && LONG_NAMES[written.toLowerCase()]) || written;
  const value = line.slice(colon + 1).trim();
  const key = name.toLowerCase();
  const field = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
  if (field) field(draft, value);
  else draft.headers.push({ name, value });
};

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

const headerEnd = (octets: Uint8Array): number => {
  for (let i = octets.indexOf(13); i >= 0; i = octets.indexOf(13, i + 1)) {
    if (octets[i + 1] === 10 && octets[i + 2] === 13 && octets[i + 3] === 10) return i;
  }
  return malformed('no empty line ends the headers');
};

/** RFC 3261 7.5: empty lines before the start line are ignored. */
const skipEmptyLines = (octets: Uint8Array): Uint8Array => {
  let start = 0;
  while (octets[start] === 13 && octets[start + 1] === 10) start += 2;
  return start === 0 ? octets : octets.subarray(start);
};

/** RFC 3261 18.3: octets beyond Content-Length are dropped; too few make the message malformed. */
const readBody = (rest: Uint8Array, contentLength: number | undefined): Uint8Array => {
  if (contentLength === undefined) return rest;
  if (contentLength > rest.length) malformed('the body is shorter than its Content-Length');
  return contentLength === 0 ? EMPTY_BODY : rest.subarray(0, contentLength);
};

const finishFields = (draft: Draft, body: Uint8Array): SipFields => {
  const [via, ...vias] = draft.vias;
  return {
    vias: [via ?? malformed('Via is missing'), ...vias],
    from: draft.from ?? malformed('From is missing'),
    to: draft.to ?? malformed('To is missing'),
    callId: draft.callId ?? malformed('Call-ID is missing'),
    cseq: draft.cseq ?? malformed('CSeq is missing'),
    maxForwards: draft.maxForwards ?? null,
    contacts: draft.contacts,
    routes: draft.routes,
    recordRoutes: draft.recordRoutes,
    headers: draft.headers,
    contentType: draft.contentType ?? null,
    body,
  };
};

const finishMessage = (startLine: string, fields: SipFields): SipMessage => {
  const status = /^SIP\/2\.0 ([1-6][0-9]{2})(?: (.*))?$/is.exec(startLine);
  if (status) return { kind: 'response', status: Number(status[1]), reason: status[2] ?? '', ...fields };
  const [method = '', target = '', version = '', ...more] = startLine.split(' ');
  if (!isToken(method) || more.length > 0 || version.toUpperCase() !== 'SIP/2.0')
    malformed('the start line is malformed');
  if (fields.cseq.method !== method) malformed('CSeq names another method');
  return { kind: 'request', method, uri: parseUri(target) ?? malformed('the Request-URI is malformed'), ...fields };
};

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const parseOrThrow = (source: Uint8Array): SipMessage => {
  if (source.length > MAX_MESSAGE_BYTES) malformed(`longer than ${MAX_MESSAGE_BYTES} octets`);
  const octets = skipEmptyLines(source);
  const end = headerEnd(octets);
  const text = decoder.decode(octets.subarray(0, end)).replace(/\r\n[ \t]+/g, ' ');
  const [startLine = '', ...lines] = text.split('\r\n');
  if (lines.length > MAX_HEADERS) malformed(`more than ${MAX_HEADERS} headers`);
  const draft: Draft = { vias: [], contacts: [], routes: [], recordRoutes: [], headers: [] };
  refuseControls(startLine);
  for (const line of lines) {
    refuseControls(line);
    readHeaderLine(draft, line);
  }
  return finishMessage(startLine, finishFields(draft, readBody(octets.subarray(end + 4), draft.contentLength)));
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
