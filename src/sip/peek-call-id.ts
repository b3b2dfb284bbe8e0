const LF = 10;
const CR = 13;
const COLON = 58;
const SPACE = 32;
const TAB = 9;
const LOWER_CASE = 0x20;
const LOWER_I = 'i'.charCodeAt(0);
const NAME = Buffer.from('call-id');

const isBlank = (octet: number | undefined): boolean => octet === SPACE || octet === TAB;

/** Where the header name at `at` ends if it is Call-ID or its compact form (RFC 3261 20.8), else -1. */
const endOfName = (octets: Uint8Array, at: number): number => {
  if (((octets[at] ?? 0) | LOWER_CASE) === LOWER_I) return at + 1;
  return NAME.every((letter, index) => ((octets[at + index] ?? 0) | LOWER_CASE) === letter) ? at + NAME.length : -1;
};

/** Where the value begins after a name that ends at `at`, or -1 if no colon follows. */
const beginOfValue = (octets: Uint8Array, at: number): number => {
  let next = at;
  while (isBlank(octets[next])) next += 1;
  if (octets[next] !== COLON) return -1;
  do next += 1;
  while (isBlank(octets[next]));
  return next;
};

const wordAt = (octets: Uint8Array, begin: number): string => {
  let end = begin;
  while (end < octets.length && (octets[end] ?? 0) > SPACE) end += 1;
  return Buffer.from(octets.buffer, octets.byteOffset + begin, end - begin).toString('latin1');
};

/** The Call-ID of a message that is not parsed: for who only wants to know which call it is of. Null if none is seen. */
export const peekCallId = (octets: Uint8Array): string | null => {
  for (let at = octets.indexOf(LF) + 1; at > 0; at = octets.indexOf(LF, at) + 1) {
    if (octets[at] === CR || octets[at] === LF) return null;
    const name = endOfName(octets, at);
    const value = name < 0 ? -1 : beginOfValue(octets, name);
    if (value >= 0) return wordAt(octets, value);
  }
  return null;
};
