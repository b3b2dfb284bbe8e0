import { isToken, parseNumber, splitOutsideQuotes } from './grammar.ts';
import { malformed } from './malformed.ts';
import type { CSeq, Header } from './message.ts';
import { type NameAddr, parseNameAddr } from './name-addr.ts';
import { parseVia, type Via } from './via.ts';

/** Header lines, and values of one header, that a message may have. */
export const MAX_HEADERS = 256;

/** What the header lines of a message have said so far. */
export interface Draft {
  readonly vias: Via[];
  from: NameAddr | null;
  to: NameAddr | null;
  callId: string | null;
  cseq: CSeq | null;
  maxForwards: number | null;
  contentLength: number | null;
  contentType: string | null;
  readonly contacts: NameAddr[];
  readonly routes: NameAddr[];
  readonly recordRoutes: NameAddr[];
  readonly headers: Header[];
}

export const newDraft = (): Draft => ({
  vias: [],
  from: null,
  to: null,
  callId: null,
  cseq: null,
  maxForwards: null,
  contentLength: null,
  contentType: null,
  contacts: [],
  routes: [],
  recordRoutes: [],
  headers: [],
});

type ReadField = (draft: Draft, value: string) => void;

/** What was parsed, unless the header was there before or is malformed. */
const once = <T>(name: string, before: T | null, parsed: T | null): T => {
  if (before !== null) malformed(`${name} appears twice`);
  return parsed ?? malformed(`${name} is malformed`);
};

/** A value without a comma is one element; a quote left open in it is found by its parser. */
const elementsOf = (name: string, value: string): readonly string[] =>
  value.includes(',') ? (splitOutsideQuotes(value, ',') ?? malformed(`a quote is left open in ${name}`)) : [value];

const addAll = <T>(name: string, values: T[], value: string, parse: (value: string) => T | null): void => {
  for (const part of elementsOf(name, value)) {
    values.push(parse(part) ?? malformed(`${name} is malformed`));
    if (values.length > MAX_HEADERS) malformed(`there are more than ${MAX_HEADERS} values of ${name}`);
  }
};

const CSEQ = /^([0-9]{1,10})[ \t]+(\S+)$/;

/** RFC 3261 8.1.1.5: the number is below 2^31. */
const parseCSeq = (value: string): CSeq | null => {
  const match = CSEQ.exec(value);
  const number = Number(match?.[1]);
  const method = match?.[2] ?? '';
  return match && number < 2 ** 31 && isToken(method) ? { number, method } : null;
};

const CALL_ID = /^[\x21-\x7e]{1,512}$/;
const parseCallId = (value: string): string | null => (CALL_ID.test(value) ? value : null);

/** The headers that have a field of their own, by their long name in lower case. */
const FIELDS: ReadonlyMap<string, ReadField> = new Map<string, ReadField>([
  ['via', (draft, value) => addAll('Via', draft.vias, value, parseVia)],
  [
    'from',
    (draft, value) => {
      draft.from = once('From', draft.from, parseNameAddr(value));
    },
  ],
  [
    'to',
    (draft, value) => {
      draft.to = once('To', draft.to, parseNameAddr(value));
    },
  ],
  [
    'call-id',
    (draft, value) => {
      draft.callId = once('Call-ID', draft.callId, parseCallId(value));
    },
  ],
  [
    'cseq',
    (draft, value) => {
      draft.cseq = once('CSeq', draft.cseq, parseCSeq(value));
    },
  ],
  [
    'max-forwards',
    (draft, value) => {
      draft.maxForwards = once('Max-Forwards', draft.maxForwards, parseNumber(value, 255));
    },
  ],
  [
    'content-length',
    (draft, value) => {
      draft.contentLength = once('Content-Length', draft.contentLength, parseNumber(value, 0xffff_ffff));
    },
  ],
  [
    'content-type',
    (draft, value) => {
      draft.contentType = once('Content-Type', draft.contentType, value === '' ? null : value);
    },
  ],
  ['route', (draft, value) => addAll('Route', draft.routes, value, parseNameAddr)],
  ['record-route', (draft, value) => addAll('Record-Route', draft.recordRoutes, value, parseNameAddr)],
  [
    'contact',
    (draft, value) => {
      // `Contact: *` (REGISTER only) is no address: it stays among the untyped headers.
      if (value === '*') draft.headers.push({ name: 'Contact', value });
      else addAll('Contact', draft.contacts, value, parseNameAddr);
    },
  ],
]);

/** Compact forms (RFC 3261 7.3.3, and the IANA registry for the extensions). */
const LONG_NAMES: ReadonlyMap<string, string> = new Map([
  ['a', 'Accept-Contact'],
  ['b', 'Referred-By'],
  ['c', 'Content-Type'],
  ['d', 'Request-Disposition'],
  ['e', 'Content-Encoding'],
  ['f', 'From'],
  ['i', 'Call-ID'],
  ['j', 'Reject-Contact'],
  ['k', 'Supported'],
  ['l', 'Content-Length'],
  ['m', 'Contact'],
  ['o', 'Event'],
  ['r', 'Refer-To'],
  ['s', 'Subject'],
  ['t', 'To'],
  ['u', 'Allow-Events'],
  ['v', 'Via'],
  ['x', 'Session-Expires'],
  ['y', 'Identity'],
]);

/** The long form of a header's name, in the letter case it was written in. */
export const longName = (written: string): string =>
  (written.length === 1 && LONG_NAMES.get(written.toLowerCase())) || written;

/** The names as most senders write them lead to their field without a change of letter case. */
const AS_WRITTEN: ReadonlyMap<string, ReadField> = new Map(
  ['Via', 'From', 'To', 'Call-ID', 'CSeq', 'Max-Forwards', 'Content-Length', 'Content-Type', 'Contact'].flatMap(
    (name): [string, ReadField][] => {
      const field = FIELDS.get(name.toLowerCase());
      return field ? [[name, field]] : [];
    },
  ),
);

const SPACE = 32;
const TAB = 9;
const isBlank = (code: number): boolean => code === SPACE || code === TAB;

/** The part of a line without the white space around it. */
const trimmed = (line: string, start: number, end: number): string => {
  let from = start;
  let to = end;
  while (from < to && isBlank(line.charCodeAt(from))) from++;
  while (to > from && isBlank(line.charCodeAt(to - 1))) to--;
  return line.slice(from, to);
};

const readOther = (draft: Draft, written: string, value: string): void => {
  if (!isToken(written)) malformed('a header line has no name');
  const name = longName(written);
  const field = FIELDS.get(name.toLowerCase());
  if (field) field(draft, value);
  else draft.headers.push({ name, value });
};

/** Reads one unfolded header line into the draft. */
export const readHeaderLine = (draft: Draft, line: string): void => {
  const colon = line.indexOf(':');
  if (colon < 1 || isBlank(line.charCodeAt(0))) malformed('a header line has no name');
  const written = trimmed(line, 0, colon);
  const value = trimmed(line, colon + 1, line.length);
  const known = AS_WRITTEN.get(written);
  if (known) known(draft, value);
  else readOther(draft, written, value);
};
