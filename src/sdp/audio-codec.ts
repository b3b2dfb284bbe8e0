import type { MediaSection } from 'sdp-transform';
import { clockRateOf, type RtpCodec } from '../rtp/packet-layout.ts';

/** Codecs that Ringcast can describe, by their names in SDP. */
export type AudioCodec = RtpCodec;

export interface LocalCodec<C extends AudioCodec = AudioCodec> {
  readonly codec: C;
  readonly payloadType: number;
}

/** A payload type for telephone-events (RFC 4733). */
export interface TelephoneEvent {
  readonly payloadType: number;
  readonly clockRateHz: number;
}

const CODECS: readonly AudioCodec[] = ['PCMU', 'PCMA', 'G722', 'opus'];
/** Opus channels are two by definition, whatever is sent (RFC 7587 7). */
const OPUS_CHANNELS = 2;
/** RFC 3551 6 for all but Opus, which has no number of its own. */
const OFFERED_PAYLOAD_TYPES: Readonly<Record<AudioCodec, number>> = { PCMU: 0, PCMA: 8, G722: 9, opus: 111 };
const EVENT_PAYLOAD_TYPES: Readonly<Record<number, number>> = { 8000: 101, 48000: 102 };
const FIRST_DYNAMIC = 96;

/** The codecs with the payload types that an offer gives them. */
export const offeredCodecs = <C extends AudioCodec>(codecs: readonly C[]): readonly LocalCodec<C>[] =>
  codecs.map((codec) => ({ codec, payloadType: OFFERED_PAYLOAD_TYPES[codec] }));

/** One telephone-event for each clock among the codecs: events run on the clock of the voice (RFC 4733 2.4). */
export const offeredTelephoneEvents = (codecs: readonly AudioCodec[]): readonly TelephoneEvent[] =>
  [...new Set(codecs.map(clockRateOf))]
    .sort((a, b) => a - b)
    .map((clockRateHz) => ({ payloadType: EVENT_PAYLOAD_TYPES[clockRateHz] ?? FIRST_DYNAMIC, clockRateHz }));

export const rtpmapOf = ({ codec, payloadType }: LocalCodec<AudioCodec>): MediaSection['rtp'][number] => ({
  payload: payloadType,
  codec,
  rate: clockRateOf(codec),
  ...(codec === 'opus' ? { encoding: OPUS_CHANNELS } : {}),
});

const isChannelCount = (codec: AudioCodec, channels: unknown): boolean =>
  channels === undefined || Number(channels) === (codec === 'opus' ? OPUS_CHANNELS : 1);

/** The codec of a payload type: by its rtpmap, else by RFC 3551's static assignment. */
const codecOf = (section: MediaSection, payloadType: number): AudioCodec | null => {
  const rtpmap = section.rtp.find((map) => map.payload === payloadType);
  if (!rtpmap)
    return CODECS.find((codec) => OFFERED_PAYLOAD_TYPES[codec] === payloadType && payloadType < FIRST_DYNAMIC) ?? null;
  const codec = CODECS.find((name) => name.toUpperCase() === String(rtpmap.codec).toUpperCase());
  if (!codec || rtpmap.rate !== clockRateOf(codec)) return null;
  return isChannelCount(codec, rtpmap.encoding) ? codec : null;
};

export const payloadTypesOf = (section: MediaSection): readonly number[] =>
  String(section.payloads ?? '')
    .split(' ')
    .filter((text) => /^[0-9]{1,3}$/.test(text))
    .map(Number)
    .filter((payloadType) => payloadType < 128);

/** The first format of the section, in the peer's order, that is among `codecs`. */
export const chooseCodec = <C extends AudioCodec>(
  section: MediaSection,
  codecs: readonly C[],
): LocalCodec<C> | null => {
  for (const payloadType of payloadTypesOf(section)) {
    const name = codecOf(section, payloadType);
    const codec = codecs.find((ours) => ours === name);
    if (codec !== undefined) return { codec, payloadType };
  }
  return null;
};

/** The telephone-event on the clock of the voice; else any, for peers that name 8000 beside Opus. */
export const chooseTelephoneEvent = (section: MediaSection, codec: AudioCodec): TelephoneEvent | null => {
  const payloadTypes = payloadTypesOf(section);
  const events = section.rtp
    .filter((map) => String(map.codec).toLowerCase() === 'telephone-event' && payloadTypes.includes(map.payload))
    .map((map) => ({ payloadType: map.payload, clockRateHz: Number(map.rate) || clockRateOf('PCMU') }));
  return events.find(({ clockRateHz }) => clockRateHz === clockRateOf(codec)) ?? events[0] ?? null;
};
