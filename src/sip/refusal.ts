import { longName, MAX_HEADERS } from './fields.ts';
import type { Header } from './message.ts';
import { isRegisteredMethod } from './methods.ts';
import { MAX_MESSAGE_BYTES } from './parse.ts';
import { REASONS } from './response.ts';

const START_LINE = /^([A-Za-z0-9\-.!%*_+`'~]+) .*SIP\/([0-9]+\.[0-9]+) *$/i;
/** What an answer repeats of its request (RFC 3261 8.2.6.2); of all but Via the first is taken. */
const REPEATED = ['Via', 'From', 'To', 'Call-ID', 'CSeq'] as const;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const linesOf = (octets: Uint8Array): readonly string[] => {
  const [head = ''] = decoder.decode(octets).trimStart().split('\r\n\r\n', 1);
  return head.replace(/\r\n[ \t]+/g, ' ').split('\r\n', MAX_HEADERS + 1);
};

const valuesOf = (lines: readonly string[], name: string): readonly string[] =>
  lines
    .map((line) => /^([^\s:]+)[ \t]*:[ \t]*(.*)$/s.exec(line))
    .filter((match) => longName(match?.[1] ?? '').toLowerCase() === name.toLowerCase())
    .map((match) => match?.[2] ?? '')
    .slice(0, name === 'Via' ? MAX_HEADERS : 1);

const withTag = (to: string, tag: string): string => (/;\s*tag\s*=/i.test(to) ? to : `${to};tag=${tag}`);

const statusOf = (method: string, version: string): number => {
  if (version !== '2.0') return 505;
  return isRegisteredMethod(method) ? 400 : 501;
};

/**
 * The answer to a request that the parser refused, or null if it deserves none: ACK, or no request at all. 505 for
 * another version of SIP, 501 for a method that nobody has registered, else 400 with `problem` as its reason
 * (RFC 3261 21.4.1). It belongs to no transaction, and repeats those headers of the request that it finds as they are.
 */
export const refuseUnreadable = (
  octets: Uint8Array,
  parts: { readonly problem: string; readonly toTag: string; readonly headers: readonly Header[] },
): Uint8Array | null => {
  if (octets.length > MAX_MESSAGE_BYTES) return null;
  const [startLine = '', ...lines] = linesOf(octets);
  const [, method = '', version = ''] = START_LINE.exec(startLine) ?? [];
  if (method === '' || method === 'ACK') return null;
  const repeated = REPEATED.flatMap((name) =>
    valuesOf(lines, name).map((value) => `${name}: ${name === 'To' ? withTag(value, parts.toTag) : value}`),
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what must not be repeated
  if (!repeated[0]?.startsWith('Via') || repeated.some((line) => /[\u0000-\u001f\u007f]/.test(line))) return null;
  const status = statusOf(method, version);
  const reason = status === 400 ? parts.problem : REASONS[status];
  const own = parts.headers.map(({ name, value }) => `${name}: ${value}`);
  const text = [`SIP/2.0 ${status} ${reason}`, ...repeated, ...own, 'Content-Length: 0', '', ''].join('\r\n');
  return new TextEncoder().encode(text);
};
