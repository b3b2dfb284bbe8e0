import { type MediaSection, type SessionDescription, write } from 'sdp-transform';
import { type AudioCodec, type LocalCodec, rtpmapOf, type TelephoneEvent } from './audio-codec.ts';
import { type CryptoLine, writeCryptoLine } from './crypto-line.ts';
import type { Direction, Profile } from './remote-media.ts';

const PTIME_MS = 20;
/** Opus as clips have it: mono, with what recovers lost packets (RFC 7587 6.1). */
const OPUS_PARAMETERS = 'useinbandfec=1;stereo=0;sprop-stereo=0';
/** The sixteen keys, and flash. */
const EVENTS = '0-16';

/** What we say of ourselves: one audio stream. */
export interface LocalDescription<C extends AudioCodec = AudioCodec> {
  /** Decimal digits, the same for the whole dialog. */
  readonly sessionId: string;
  /** Counts up with every change (RFC 3264 8); see `revise`. */
  readonly version: number;
  readonly address: string;
  readonly port: number;
  /** In order of preference. */
  readonly codecs: readonly LocalCodec<C>[];
  readonly direction: Direction;
  /** Nothing more is said if left out. */
  readonly extras?: Extras;
}

/** What an offer or answer says beyond codecs, address and direction. */
export interface Extras {
  readonly telephoneEvents: readonly TelephoneEvent[];
  readonly isRtcpMux: boolean;
  readonly profile: Profile;
  readonly crypto: readonly CryptoLine[];
}

export const NO_EXTRAS: Extras = { telephoneEvents: [], isRtcpMux: false, profile: 'RTP/AVP', crypto: [] };

const ipVersion = (address: string): number => (address.includes(':') ? 6 : 4);

const eventRtpmap = ({ payloadType, clockRateHz }: TelephoneEvent): MediaSection['rtp'][number] => ({
  payload: payloadType,
  codec: 'telephone-event',
  rate: clockRateHz,
});

const parametersOf = (
  local: LocalDescription<AudioCodec>,
  telephoneEvents: readonly TelephoneEvent[],
): MediaSection['fmtp'] => [
  ...local.codecs
    .filter(({ codec }) => codec === 'opus')
    .map(({ payloadType }) => ({ payload: payloadType, config: OPUS_PARAMETERS })),
  ...telephoneEvents.map(({ payloadType }) => ({ payload: payloadType, config: EVENTS })),
];

export const audioSection = (local: LocalDescription<AudioCodec>): MediaSection => {
  const { telephoneEvents, isRtcpMux, profile, crypto } = local.extras ?? NO_EXTRAS;
  return {
    type: 'audio',
    port: local.port,
    protocol: profile,
    payloads: [...local.codecs, ...telephoneEvents].map(({ payloadType }) => payloadType).join(' '),
    rtp: [...local.codecs.map(rtpmapOf), ...telephoneEvents.map(eventRtpmap)],
    fmtp: parametersOf(local, telephoneEvents),
    ...(isRtcpMux ? { rtcpMux: 'rtcp-mux' } : {}),
    ...(crypto.length > 0 ? { crypto: crypto.map(writeCryptoLine) } : {}),
    ptime: PTIME_MS,
    direction: local.direction,
  };
};

/** Writes a description with the given media sections. */
export const writeSession = (local: LocalDescription<AudioCodec>, media: readonly MediaSection[]): string => {
  const session: SessionDescription = {
    version: 0,
    origin: {
      username: '-',
      sessionId: local.sessionId,
      sessionVersion: local.version,
      netType: 'IN',
      ipVer: ipVersion(local.address),
      address: local.address,
    },
    name: '-',
    connection: { version: ipVersion(local.address), ip: local.address },
    timing: { start: 0, stop: 0 },
    media: [...media],
  };
  return write(session);
};

/** Equal if the descriptions would be, ids apart; writing them for that costs ten times as much, in every call. */
const contentsOf = (local: LocalDescription<AudioCodec>): string =>
  JSON.stringify([local.address, audioSection(local)]);

/** The description with a change made; its version counts on only if something did change (RFC 3264 8). */
export const revise = <C extends AudioCodec>(
  local: LocalDescription<C>,
  change: Partial<Omit<LocalDescription<C>, 'sessionId' | 'version'>>,
): LocalDescription<C> => {
  const next = { ...local, ...change };
  return contentsOf(next) === contentsOf(local) ? local : { ...next, version: local.version + 1 };
};
