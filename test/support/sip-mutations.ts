/** Pieces that SIP parsers trip over. */
const PIECES = [
  '\r\n',
  '\r\n ',
  '\r',
  '\n',
  '\0',
  '\t',
  ' ',
  ';',
  ';;',
  ',',
  ':',
  '::',
  '<',
  '>',
  '"',
  '\\',
  '\\"',
  '\\\0',
  '%',
  '%00',
  '%zz',
  '@',
  '?',
  '=',
  '/',
  '[',
  ']',
  '[::1]',
  '*',
  '-1',
  '0',
  '65536',
  '4294967296',
  '99999999999999999999',
  'z9hG4bK',
  'SIP/2.0',
  'SIP/7.0',
  'SIP / 2.0 / UDP ',
  'sip:',
  'sips:',
  'tel:+1',
  'INVITE',
  'ACK',
  'BYE',
  'CANCEL',
  'v:',
  'Via: ',
  'f:',
  't: ',
  'i:',
  'CSeq: ',
  'Contact: *',
  'm: <sip:a@b>',
  'Route: <sip:a;lr>',
  'Record-Route: <sip:a>,<sip:b>',
  'Require: x',
  'Content-Length: 0',
  'l: 99',
  'Max-Forwards: 0',
  ';tag=',
  ';branch=',
  ';rport',
  ';lr',
  ';maddr=255.255.255.255',
  '\u00e9',
  '\u2028',
  '\ud83d\ude00',
  '\ufeff',
].map((text) => new TextEncoder().encode(text));

const joined = (...parts: readonly Uint8Array[]): Uint8Array => {
  const octets = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    octets.set(part, at);
    at += part.length;
  }
  return octets;
};

/** The octets with one to six changes: of single octets, of stretches, of pieces put in, of another message's tail. */
export const mutated = (octets: Uint8Array, others: readonly Uint8Array[], random: () => number): Uint8Array => {
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const changes: readonly ((from: Uint8Array, at: number) => Uint8Array)[] = [
    (from, at) => joined(from.subarray(0, at), Uint8Array.of(below(256)), from.subarray(at + 1)),
    (from, at) => joined(from.subarray(0, at), pick(PIECES), from.subarray(at)),
    (from, at) => joined(from.subarray(0, at), pick(PIECES), from.subarray(at + below(20))),
    (from, at) => joined(from.subarray(0, at), from.subarray(at + below(40))),
    (from, at) => joined(from.subarray(0, at), from.subarray(Math.max(0, at - below(60)))),
    (from, at) => {
      const other = pick(others);
      return joined(from.subarray(0, at), other.subarray(below(other.length)));
    },
  ];
  let result = octets;
  for (let left = 1 + below(6); left > 0; left--) result = pick(changes)(result, below(result.length + 1));
  return result.slice(0, 70_000);
};
