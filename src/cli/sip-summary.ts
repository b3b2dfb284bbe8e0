/** What a ladder says of one SIP message. */
export interface SipSummary {
  readonly label: string;
  /** What its SDP offers or answers; null if it has none. */
  readonly media: string | null;
}

/** Payload types that need no rtpmap (RFC 3551 6). */
const STATIC_CODECS: Readonly<Record<string, string>> = { 0: 'PCMU', 8: 'PCMA', 9: 'G722', 18: 'G729' };
const SEPARATOR = /\r?\n\r?\n/;

/** `200 OK (1 INVITE)`, `BYE (2)`. */
const labelOf = (head: string): string => {
  const [startLine = ''] = head.split(/\r?\n/, 1);
  const [, number, method] = /^CSeq[ \t]*:[ \t]*([0-9]+)[ \t]+(\S+)/im.exec(head) ?? [];
  if (!/^SIP\/2\.0 /i.test(startLine)) return `${startLine.split(' ', 1)[0]} (${number ?? '?'})`;
  return `${startLine.slice('SIP/2.0 '.length)} (${number ?? '?'} ${method ?? '?'})`;
};

const codecNames = (sdp: string, payloadTypes: readonly string[]): string[] => {
  const mapped = [...sdp.matchAll(/^a=rtpmap:([0-9]+) ([^/\s]+)/gm)].map(([, type = '', name = '']) => [type, name]);
  const names: Readonly<Record<string, string>> = { ...STATIC_CODECS, ...Object.fromEntries(mapped) };
  return payloadTypes.map((type) => names[type] ?? type);
};

/** `audio 16384 PCMU telephone-event, SRTP, sendonly` for the first stream. */
const mediaOf = (sdp: string): string | null => {
  const [, kind, port, profile = '', types = ''] = /^m=(\S+) ([0-9]+)\S* (\S+) ([^\r\n]*)/m.exec(sdp) ?? [];
  if (kind === undefined) return null;
  const direction = /^a=(sendonly|recvonly|inactive)[ \t]*\r?$/m.exec(sdp)?.[1];
  return [
    `${kind} ${port} ${codecNames(sdp, types.trim().split(/ +/)).join(' ')}`,
    ...(profile.includes('SAVP') ? ['SRTP'] : []),
    ...(direction === undefined ? [] : [direction]),
  ].join(', ');
};

export const summaryOf = (text: string): SipSummary => {
  const end = text.search(SEPARATOR);
  const [head, body] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end)];
  return { label: labelOf(head), media: mediaOf(body) };
};
