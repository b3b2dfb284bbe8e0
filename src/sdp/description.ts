import { type MediaSection, type SessionDescription, write } from 'sdp-transform';

/** Codecs that Ringcast describes, by their static payload types (RFC 3551 6). */
export const STATIC_PAYLOAD_TYPES = { PCMU: 0, PCMA: 8 } as const;
export type AudioCodec = keyof typeof STATIC_PAYLOAD_TYPES;

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

const G711_CLOCK_RATE_HZ = 8_000;
const PTIME_MS = 20;

export interface LocalCodec {
  readonly codec: AudioCodec;
  readonly payloadType: number;
}

/** What we say of ourselves: one audio stream. */
export interface LocalDescription {
  /** Decimal digits, the same for the whole dialog. */
  readonly sessionId: string;
  /** Counts up with every change (RFC 3264 8); see `revise`. */
  readonly version: number;
  readonly address: string;
  readonly port: number;
  /** In order of preference. */
  readonly codecs: readonly LocalCodec[];
  readonly direction: Direction;
}

/** The codecs with the payload types that an offer gives them. */
export const staticCodecs = (codecs: readonly AudioCodec[]): readonly LocalCodec[] =>
  codecs.map((codec) => ({ codec, payloadType: STATIC_PAYLOAD_TYPES[codec] }));

const ipVersion = (address: string): number => (address.includes(':') ? 6 : 4);

export const audioSection = (local: LocalDescription): MediaSection => ({
  type: 'audio',
  port: local.port,
  protocol: 'RTP/AVP',
  payloads: local.codecs.map(({ payloadType }) => payloadType).join(' '),
  rtp: local.codecs.map(({ codec, payloadType }) => ({ payload: payloadType, codec, rate: G711_CLOCK_RATE_HZ })),
  fmtp: [],
  ptime: PTIME_MS,
  direction: local.direction,
});

/** Writes a description with the given media sections. */
export const writeSession = (local: LocalDescription, media: readonly MediaSection[]): string => {
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

const sameCodecs = (a: readonly LocalCodec[], b: readonly LocalCodec[]): boolean =>
  a.length === b.length && a.every((x, i) => x.codec === b[i]?.codec && x.payloadType === b[i]?.payloadType);

/** The description with a change made; its version counts on only if something did change (RFC 3264 8). */
export const revise = (
  local: LocalDescription,
  change: Partial<Pick<LocalDescription, 'address' | 'port' | 'codecs' | 'direction'>>,
): LocalDescription => {
  const next = { ...local, ...change };
  const isSame =
    next.address === local.address &&
    next.port === local.port &&
    next.direction === local.direction &&
    sameCodecs(next.codecs, local.codecs);
  return isSame ? local : { ...next, version: local.version + 1 };
};
