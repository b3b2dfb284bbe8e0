import { type MediaSection, parse } from 'sdp-transform';
import { type CryptoLine, readCryptoLine } from './crypto-line.ts';

/** A description as far as it is read. */
export interface Description {
  readonly connection: { readonly ip: string } | undefined;
  readonly direction: string | undefined;
  readonly sections: readonly Section[];
}

export interface Section extends MediaSection {
  /** In the peer's order; null for one that cannot be honoured. */
  readonly cryptoLines: readonly (CryptoLine | null)[];
}

const MAX_SDP_BYTES = 16_384;
const MAX_MEDIA_SECTIONS = 16;
const MAX_CRYPTO_LINES = 16;
const MAX_LINE_LENGTH = 512;
/** The only lines that are read: everything else is ignored unseen, which also bounds the parser's work. */
const KNOWN_LINE =
  /^(?:[vost]=|c=IN |m=|a=(?:rtpmap:|ptime:|maxptime:|rtcp:|rtcp-mux|crypto:|sendrecv|sendonly|recvonly|inactive))/;
const CRYPTO = 'a=crypto:';

/** Crypto lines of each section. sdp-transform drops session parameters behind the first, and they may not be missed. */
const cryptoLinesOf = (lines: readonly string[]): readonly (readonly (CryptoLine | null)[])[] => {
  const sections: (CryptoLine | null)[][] = [];
  for (const line of lines) {
    if (line.startsWith('m=')) sections.push([]);
    const section = sections.at(-1);
    if (!line.startsWith(CRYPTO) || !section || section.length >= MAX_CRYPTO_LINES) continue;
    section.push(readCryptoLine(line.slice(CRYPTO.length)));
  }
  return sections;
};

/** Null if it is no SDP, or too much of it. Never throws. */
export const parseDescription = (octets: Uint8Array): Description | null => {
  if (octets.length === 0 || octets.length > MAX_SDP_BYTES) return null;
  const lines = new TextDecoder().decode(octets).split(/\r\n|\n|\r/);
  if (lines[0] !== 'v=0') return null;
  const known = lines.filter((line) => line.length <= MAX_LINE_LENGTH && KNOWN_LINE.test(line));
  const session = parse(known.filter((line) => !line.startsWith(CRYPTO)).join('\r\n'));
  if (session.media.length > MAX_MEDIA_SECTIONS) return null;
  const cryptoLines = cryptoLinesOf(known);
  const sections = session.media.map((section, i) => ({ ...section, cryptoLines: cryptoLines[i] ?? [] }));
  return { connection: session.connection, direction: session.direction, sections };
};
