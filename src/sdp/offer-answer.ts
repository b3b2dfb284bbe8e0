import type { MediaSection } from 'sdp-transform';
import { type AudioCodec, offeredTelephoneEvents, payloadTypesOf } from './audio-codec.ts';
import type { CryptoLine } from './crypto-line.ts';
import { audioSection, type Extras, type LocalDescription, NO_EXTRAS, writeSession } from './description.ts';
import { type Description, parseDescription, type Section } from './parse-description.ts';
import {
  type Direction,
  type Profile,
  profileOf,
  type Reading,
  type ReadOptions,
  type RemoteMedia,
  readSection,
  refuse,
  type SrtpPolicy,
} from './remote-media.ts';

export type { Direction, Profile, Reading, ReadOptions, RemoteMedia, SrtpPolicy } from './remote-media.ts';

/** The stream to use among those of one of the profiles: the first of the first profile that is open. */
const chooseSection = (description: Description, profiles: readonly Profile[]): Section | null => {
  const audio = profiles.flatMap((profile) =>
    description.sections.filter((section) => section.type === 'audio' && profileOf(section) === profile),
  );
  return audio.find((section) => section.port !== 0) ?? audio[0] ?? null;
};

const acceptableProfiles = (srtp: SrtpPolicy): readonly Profile[] =>
  srtp === 'off' ? ['RTP/AVP'] : ['RTP/SAVP', 'RTP/AVP'];

/** Reads the audio stream of an offer (RFC 3264 6); the codec is the peer's first that is among ours. Never throws. */
export const readOffer = <C extends AudioCodec>(octets: Uint8Array, options: ReadOptions<C>): Reading<C> => {
  const description = parseDescription(octets);
  if (!description) return refuse('The SDP is malformed.');
  const profiles = acceptableProfiles(options.srtp ?? 'off');
  const section = chooseSection(description, profiles);
  if (!section) return refuse(`The SDP has no ${profiles.toReversed().join(' or ')} audio stream.`);
  return readSection(description, section, options);
};

/** Reads an answer to an offer of one audio stream (RFC 3264 7). Never throws. */
export const readAnswer = <C extends AudioCodec>(octets: Uint8Array, options: ReadOptions<C>): Reading<C> => {
  if (octets.length === 0) return refuse('The answer has no SDP.');
  return readOffer(octets, { offeredCrypto: [], ...options });
};

/** Writes an offer: `codecs` in order of preference, frames of 20 ms, and the extras. */
export const writeOffer = (local: LocalDescription<AudioCodec>): string => writeSession(local, [audioSection(local)]);

/**
 * Everything that an offer can say: telephone-events, RTCP on RTP's port, and the crypto lines. Where SRTP is only
 * preferred they stand under the plain profile, see docs/adr/0016-srtp-preferred.md.
 */
export const offerExtras = (
  codecs: readonly AudioCodec[],
  srtp: SrtpPolicy,
  crypto: readonly CryptoLine[],
): Extras => ({
  telephoneEvents: offeredTelephoneEvents(codecs),
  isRtcpMux: true,
  profile: srtp === 'required' ? 'RTP/SAVP' : 'RTP/AVP',
  crypto: srtp === 'off' ? [] : crypto,
});

/** What an answer takes up of an offer that was read; `crypto` is ours, with the tag of `media.crypto`. */
export const answerExtras = (media: RemoteMedia<AudioCodec>, crypto: CryptoLine | null): Extras => ({
  telephoneEvents: media.telephoneEvent ? [media.telephoneEvent] : [],
  isRtcpMux: media.isRtcpMux,
  profile: media.profile,
  crypto: crypto ? [crypto] : [],
});

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
 * refused but the chosen one (RFC 3264 6). The extras of `local` are those of `answerExtras`.
 */
export const writeAnswer = (offer: Uint8Array, local: LocalDescription<AudioCodec>): string => {
  const description = parseDescription(offer);
  const { profile } = local.extras ?? NO_EXTRAS;
  const chosen = description ? chooseSection(description, [profile]) : null;
  const sections = description?.sections ?? [];
  return writeSession(
    local,
    sections.map((section) => (section === chosen ? audioSection(local) : refusedSection(section))),
  );
};
