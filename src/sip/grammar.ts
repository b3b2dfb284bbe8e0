/** Pieces of the grammar of RFC 3261 25.1 that several headers share. All scans are linear in the length of the text. */

const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$/;
const PORT = /^[0-9]{1,5}$/;

export const isToken = (text: string): boolean => TOKEN.test(text);

/** Host name, IPv4 address, or IPv6 address in brackets. */
export const isHost = (text: string): boolean => text.length <= 255 && HOST.test(text);

/** Reads a port of at most 65535, or returns null. */
export const parsePort = (text: string): number | null => {
  const port = PORT.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  return port <= 65535 ? port : null;
};

/** Splits `host[:port]`, white space around the colon allowed (RFC 3261 25.1 COLON). Null if it is neither. */
export const parseHostPort = (text: string): { readonly host: string; readonly port: number | null } | null => {
  const colon = text.indexOf(':', text.startsWith('[') ? text.indexOf(']') : 0);
  const host = (colon < 0 ? text : text.slice(0, colon)).trim();
  if (!isHost(host)) return null;
  if (colon < 0) return { host, port: null };
  const port = parsePort(text.slice(colon + 1).trim());
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
