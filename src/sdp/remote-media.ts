import { packetTimeOf } from '../rtp/packet-layout.ts';
import {
  type AudioCodec,
  chooseCodec,
  chooseTelephoneEvent,
  type LocalCodec,
  type TelephoneEvent,
} from './audio-codec.ts';
import type { CryptoLine } from './crypto-line.ts';
import { problemOfAddress } from './media-address.ts';
import type { Description, Section } from './parse-description.ts';

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
export type Profile = 'RTP/AVP' | 'RTP/SAVP';
/** What a trunk asks for: never encrypted, encrypted if the peer can, or not at all otherwise. */
export type SrtpPolicy = 'off' | 'preferred' | 'required';

/** Where a peer wants its voice, and as what. */
export interface RemoteMedia<C extends AudioCodec = AudioCodec> extends LocalCodec<C> {
  readonly address: string;
  readonly port: number;
  /** As the peer sees it: `sendonly` is a peer that does not listen. */
  readonly direction: Direction;
  /** How much voice to put in a packet: what the peer asked for, as near as the codec allows. */
  readonly packetTimeMs: number;
  /** Where RTCP goes: a port of its own, or RTP's (RFC 5761). Null if the peer named none that may be sent to. */
  readonly rtcp: { readonly address: string; readonly port: number } | null;
  readonly isRtcpMux: boolean;
  /** How the peer names telephone-events. It ought to send them as our own description names them. */
  readonly telephoneEvent: TelephoneEvent | null;
  readonly profile: Profile;
  /** What the peer encrypts with; null if voice goes in the clear. */
  readonly crypto: CryptoLine | null;
}

export type Reading<C extends AudioCodec = AudioCodec> =
  | { readonly ok: true; readonly media: RemoteMedia<C> }
  /** A sentence for people; it says what is wrong with the peer's description. */
  | { readonly ok: false; readonly problem: string };

export interface ReadOptions<C extends AudioCodec = AudioCodec> {
  /** Codecs that may be chosen. */
  readonly codecs: readonly C[];
  /** Only for peers that are on this machine themselves. */
  readonly allowLoopback: boolean;
  /** `off` if left out. */
  readonly srtp?: SrtpPolicy;
  /** Whether RTP and RTCP may share a port: for an answer, whether we offered it. False if left out. */
  readonly rtcpMux?: boolean;
  /** For an answer: the lines that we offered, one of which the peer has to take up. */
  readonly offeredCrypto?: readonly CryptoLine[];
}

const DEFAULT_PACKET_MS = 20;
const DIRECTIONS: readonly Direction[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive'];
const PROFILES: readonly Profile[] = ['RTP/AVP', 'RTP/SAVP'];

export const refuse = (problem: string): { readonly ok: false; readonly problem: string } => ({ ok: false, problem });

export const profileOf = (section: Section): Profile | null =>
  PROFILES.find((profile) => profile === section.protocol) ?? null;

const directionOf = (description: Description, section: Section): Direction => {
  const stated = section.direction ?? description.direction;
  return DIRECTIONS.find((direction) => direction === stated) ?? 'sendrecv';
};

const isPort = (port: unknown): port is number => typeof port === 'number' && port >= 1 && port <= 65535;

/** RFC 3264 8.4: `0.0.0.0` is the old way to put a call on hold; `::` is its counterpart. */
const isHoldAddress = (address: string): boolean => address === '0.0.0.0' || address === '::';

const packetTime = (section: Section, codec: AudioCodec): number => {
  const wanted = Number(section.ptime) || DEFAULT_PACKET_MS;
  return packetTimeOf(codec, Math.min(wanted, Number(section.maxptime) || wanted));
};

type Rtcp = Pick<RemoteMedia, 'rtcp' | 'isRtcpMux'>;

/** RTP's port when shared, the one that is named (RFC 3605), else the next one up (RFC 3550 11). */
const rtcpOf = (section: Section, address: string, port: number, options: ReadOptions<AudioCodec>): Rtcp => {
  if (section.rtcpMux !== undefined && options.rtcpMux) return { rtcp: { address, port }, isRtcpMux: true };
  const rtcpPort = section.rtcp ? section.rtcp.port : port + 1;
  const rtcpAddress = String(section.rtcp?.address ?? address);
  const isUsable = isPort(rtcpPort) && problemOfAddress(rtcpAddress, options.allowLoopback) === null;
  return { rtcp: isUsable ? { address: rtcpAddress, port: rtcpPort } : null, isRtcpMux: false };
};

/** The peer's first line that can be used; in an answer the one with tag and suite of a line of ours (RFC 4568 5.1.3). */
const chooseCrypto = ({ cryptoLines }: Section, { offeredCrypto }: ReadOptions<AudioCodec>): CryptoLine | null => {
  const isTakenUp = (line: CryptoLine | null): line is CryptoLine =>
    line !== null &&
    (offeredCrypto === undefined ||
      offeredCrypto.some((ours) => ours.tag === line.tag && ours.keying.suite === line.keying.suite));
  return cryptoLines.find(isTakenUp) ?? null;
};

/** Why voice may not be sent to a section without a line that can be used. */
const problemWithoutCrypto = (profile: Profile, section: Section, options: ReadOptions<AudioCodec>): string | null => {
  const isTakenUpWrongly = options.offeredCrypto !== undefined && section.cryptoLines.length > 0;
  if (profile === 'RTP/SAVP' || isTakenUpWrongly) return 'The SDP asks for SRTP with no crypto line that can be used.';
  return options.srtp === 'required' ? 'The SDP has no SRTP, and SRTP is required.' : null;
};

type Encryption =
  | { readonly profile: Profile; readonly crypto: CryptoLine | null }
  /** Completes a refusal. */
  | { readonly problem: string };

const encryptionOf = (section: Section, options: ReadOptions<AudioCodec>): Encryption => {
  const profile = profileOf(section) ?? 'RTP/AVP';
  if ((options.srtp ?? 'off') === 'off') return { profile, crypto: null };
  const crypto = chooseCrypto(section, options);
  const problem = crypto ? null : problemWithoutCrypto(profile, section, options);
  return problem === null ? { profile, crypto } : { problem };
};

/** Reads one section, whose profile is known. */
export const readSection = <C extends AudioCodec>(
  description: Description,
  section: Section,
  options: ReadOptions<C>,
): Reading<C> => {
  const { port } = section;
  if (port === 0) return refuse('The peer refused the audio stream (port 0).');
  if (!isPort(port)) return refuse('The audio stream of the SDP has no valid port.');
  const address = String((section.connection ?? description.connection)?.ip ?? '');
  const isHeld = isHoldAddress(address);
  const addressProblem = isHeld ? null : problemOfAddress(address, options.allowLoopback);
  if (addressProblem) return refuse(`The media address of the SDP ${addressProblem}.`);
  const chosen = chooseCodec(section, options.codecs);
  if (!chosen) return refuse(`The SDP has no codec in common with ours (${options.codecs.join(', ')}).`);
  const encryption = encryptionOf(section, options);
  if ('problem' in encryption) return refuse(encryption.problem);
  const media: RemoteMedia<C> = {
    ...chosen,
    ...rtcpOf(section, address, port, options),
    address,
    port,
    direction: isHeld ? 'inactive' : directionOf(description, section),
    packetTimeMs: packetTime(section, chosen.codec),
    telephoneEvent: chooseTelephoneEvent(section, chosen.codec),
    ...encryption,
  };
  return { ok: true, media };
};
