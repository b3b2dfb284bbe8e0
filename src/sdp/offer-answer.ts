import { type MediaSection, parse, type SessionDescription } from 'sdp-transform';
import {
  type AudioCodec,
  audioSection,
  type Direction,
  type LocalCodec,
  type LocalDescription,
  STATIC_PAYLOAD_TYPES,
  writeSession,
} from './description.ts';
import { problemOfAddress } from './media-address.ts';

/** Where a peer wants its voice, and as what. */
export interface RemoteMedia extends LocalCodec {
  readonly address: string;
  readonly port: number;
  /** As the peer sees it: `sendonly` is a peer that does not listen. */
  readonly direction: Direction;
}

export type Reading =
  | { readonly ok: true; readonly media: RemoteMedia }
  /** A sentence for people; it says what is wrong with the peer's description. */
  | { readonly ok: false; readonly problem: string };

export interface ReadOptions {
  /** Codecs that may be chosen. */
  readonly codecs: readonly AudioCodec[];
  /** Only for peers that are on this machine themselves. */
  readonly allowLoopback: boolean;
}

const MAX_SDP_BYTES = 16_384;
const MAX_MEDIA_SECTIONS = 16;
/** The only lines that are read: everything else is ignored unseen, which also bounds the parser's work. */
const KNOWN_LINE = /^(?:[vost]=|c=IN |m=|a=(?:rtpmap:|ptime:|sendrecv|sendonly|recvonly|inactive))/;
const MAX_LINE_LENGTH = 512;
const CLOCK_RATE_HZ = 8_000;

const refuse = (problem: string): Reading => ({ ok: false, problem });

const parseSession = (octets: Uint8Array): SessionDescription | null => {
  if (octets.length === 0 || octets.length > MAX_SDP_BYTES) return null;
  const lines = new TextDecoder().decode(octets).split(/\r\n|\n|\r/);
  if (lines[0] !== 'v=0') return null;
  const known = lines.filter((line) => line.length <= MAX_LINE_LENGTH && KNOWN_LINE.test(line));
  const session = parse(known.join('\r\n'));
  return session.media.length <= MAX_MEDIA_SECTIONS ? session : null;
};

const payloadTypesOf = (section: MediaSection): readonly number[] =>
  String(section.payloads ?? '')
    .split(' ')
    .filter((text) => /^[0-9]{1,3}$/.test(text))
    .map(Number)
    .filter((payloadType) => payloadType < 128);

/** The codec of a payload type: by its rtpmap, else by RFC 3551's static assignment. */
const codecOf = (section: MediaSection, payloadType: number): AudioCodec | null => {
  const known = Object.keys(STATIC_PAYLOAD_TYPES) as AudioCodec[];
  const rtpmap = section.rtp.find((map) => map.payload === payloadType);
  if (!rtpmap) return known.find((codec) => STATIC_PAYLOAD_TYPES[codec] === payloadType) ?? null;
  if (rtpmap.rate !== CLOCK_RATE_HZ) return null;
  return known.find((codec) => codec === String(rtpmap.codec).toUpperCase()) ?? null;
};

/** The first format of the section, in the peer's order, that is among `codecs`. */
const chooseCodec = (section: MediaSection, codecs: readonly AudioCodec[]): LocalCodec | null => {
  for (const payloadType of payloadTypesOf(section)) {
    const codec = codecOf(section, payloadType);
    if (codec && codecs.includes(codec)) return { codec, payloadType };
  }
  return null;
};

const DIRECTIONS: readonly string[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] satisfies Direction[];

const directionOf = (session: SessionDescription, section: MediaSection): Direction => {
  const stated = section.direction ?? session.direction ?? 'sendrecv';
  return DIRECTIONS.includes(stated) ? (stated as Direction) : 'sendrecv';
};

const indexOfAudio = (session: SessionDescription): number => {
  const isAudio = (section: MediaSection): boolean => section.type === 'audio' && section.protocol === 'RTP/AVP';
  const open = session.media.findIndex((section) => isAudio(section) && section.port !== 0);
  return open >= 0 ? open : session.media.findIndex(isAudio);
};

const isPort = (port: unknown): port is number => typeof port === 'number' && port >= 1 && port <= 65535;

/** RFC 3264 8.4: `0.0.0.0` is the old way to put a call on hold. */
const isHoldAddress = (address: string): boolean => address === '0.0.0.0';

const readSection = (session: SessionDescription, section: MediaSection, options: ReadOptions): Reading => {
  if (section.port === 0) return refuse('The peer refused the audio stream (port 0).');
  if (!isPort(section.port)) return refuse('The audio stream of the SDP has no valid port.');
  const address = String((section.connection ?? session.connection)?.ip ?? '');
  const isHeld = isHoldAddress(address);
  const addressProblem = isHeld ? null : problemOfAddress(address, options.allowLoopback);
  if (addressProblem) return refuse(`The media address of the SDP ${addressProblem}.`);
  const chosen = chooseCodec(section, options.codecs);
  if (!chosen) return refuse(`The SDP has no codec in common with ours (${options.codecs.join(', ')}).`);
  const direction = isHeld ? 'inactive' : directionOf(session, section);
  return { ok: true, media: { ...chosen, address, port: section.port, direction } };
};

/** Reads the audio stream of an offer (RFC 3264 6); the codec is the peer's first that is among ours. Never throws. */
export const readOffer = (octets: Uint8Array, options: ReadOptions): Reading => {
  const session = parseSession(octets);
  if (!session) return refuse('The SDP is malformed.');
  const section = session.media[indexOfAudio(session)];
  return section ? readSection(session, section, options) : refuse('The SDP has no RTP/AVP audio stream.');
};

/** Reads an answer to an offer of one audio stream (RFC 3264 7). Never throws. */
export const readAnswer = (octets: Uint8Array, options: ReadOptions): Reading => {
  if (octets.length === 0) return refuse('The answer has no SDP.');
  const reading = readOffer(octets, options);
  if (reading.ok && isHoldAddress(reading.media.address)) return refuse('The media address of the SDP is unspecified.');
  return reading;
};

/** Writes an offer: `codecs` in order of preference, frames of 20 ms. */
export const writeOffer = (local: LocalDescription): string => writeSession(local, [audioSection(local)]);

const MIRRORED: Readonly<Record<Direction, Direction>> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
};

/** Our direction in the answer to an offer with the peer's (RFC 3264 6.1). */
export const mirrored = (direction: Direction): Direction => MIRRORED[direction];

const refusedSection = (section: MediaSection): MediaSection => ({
  type: String(section.type).replace(/\W/g, '') || 'audio',
  port: 0,
  protocol: String(section.protocol).replace(/[^\w/]/g, '') || 'RTP/AVP',
  payloads: payloadTypesOf(section)[0] ?? 0,
  rtp: [],
  fmtp: [],
});

/**
 * Writes the answer to an offer that `readOffer` accepted: one section for each of the offer's, in its order, all
 * refused but the chosen one (RFC 3264 6).
 */
export const writeAnswer = (offer: Uint8Array, local: LocalDescription): string => {
  const session = parseSession(offer);
  const chosen = session ? indexOfAudio(session) : 0;
  const sections = session?.media ?? [];
  return writeSession(
    local,
    sections.map((section, i) => (i === chosen ? audioSection(local) : refusedSection(section))),
  );
};
