/** Pieces of the grammar of RFC 3261 25.1 that several headers share. All scans are linear in the length of the text. */

/** A set of ASCII characters: a table, since regular expressions take most of the time of parsing. */
export type CharSet = Uint8Array;

export const charSet = (chars: string): CharSet => {
  const set = new Uint8Array(128);
  for (const char of chars) set[char.charCodeAt(0)] = 1;
  return set;
};

/** Whether the text is not empty and has no character outside the set. */
export const consistsOf = (set: CharSet, text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (set[text.charCodeAt(i)] !== 1) return false;
  return text.length > 0;
};

const DIGITS = '0123456789';
export const ALPHANUMERIC = `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz${DIGITS}`;

const TOKEN = charSet(`${ALPHANUMERIC}-.!%*_+\`'~`);
const DIGIT = charSet(DIGITS);
const HOST_NAME = charSet(`${ALPHANUMERIC}._-`);
const IPV6_REFERENCE = /^\[[0-9A-Fa-f:.]+\]$/;

export const isToken = (text: string): boolean => consistsOf(TOKEN, text);

/** Host name, IPv4 address, or IPv6 address in brackets. */
export const isHost = (text: string): boolean =>
  text.length <= 255 && (consistsOf(HOST_NAME, text) || IPV6_REFERENCE.test(text));

/** Reads a number of `1*DIGIT`, at most ten of them and at most `max`, or returns null. */
export const parseNumber = (text: string, max: number): number | null => {
  if (text.length > 10 || !consistsOf(DIGIT, text)) return null;
  const number = Number(text);
  return number <= max ? number : null;
};

/** Reads a port of at most 65535, or returns null. */
export const parsePort = (text: string): number | null => (text.length <= 5 ? parseNumber(text, 65_535) : null);

export interface HostPort {
  readonly host: string;
  readonly port: number | null;
}

/** Splits `host[:port]`. Null if it is neither. */
export const parseHostPort = (text: string): HostPort | null => {
  const colon = text.indexOf(':', text.startsWith('[') ? text.indexOf(']') : 0);
  const host = colon < 0 ? text : text.slice(0, colon);
  if (!isHost(host)) return null;
  if (colon < 0) return { host, port: null };
  const port = parsePort(text.slice(colon + 1));
  return port === null ? null : { host, port };
};

/** Index of the quote that closes the quoted-string opened at `start`, or -1. */
export const endOfQuoted = (text: string, start: number): number => {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return -1;
};

/** Splits at a separator that stands outside quoted-strings and angle brackets. Null if a quote stays open. */
export const splitOutsideQuotes = (text: string, separator: string): readonly string[] | null => {
  if (!text.includes('"') && !text.includes('<')) return text.split(separator);
  const parts: string[] = [];
  let start = 0;
  let inBrackets = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"' && !inBrackets) {
      i = endOfQuoted(text, i);
      if (i < 0) return null;
    } else if (char === '<') inBrackets = true;
    else if (char === '>') inBrackets = false;
    else if (char === separator && !inBrackets) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
};

/** The text that a quoted-string (with its quotes) stands for. */
export const unquote = (quoted: string): string => quoted.slice(1, -1).replace(/\\([\s\S])/g, '$1');

/** A quoted-string. Controls become quoted-pairs; CR and LF, which no quoted-pair can carry, become spaces. */
export const quote = (text: string): string =>
  `"${text
    .toWellFormed()
    .replace(/[\r\n]/g, ' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what has to be escaped
    .replace(/["\\\u0000-\u001f\u007f]/g, '\\$&')}"`;
