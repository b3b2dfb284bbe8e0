import type { RtpPacket } from './packet.ts';

/** A key that was pressed at the other end. */
export interface Digit {
  /** `0` to `9`, `*`, `#`, `A` to `D`. */
  readonly digit: string;
  /** RTP timestamp of its beginning. */
  readonly timestamp: number;
}

/** One press as far as it is known: its packets share event and timestamp, and their duration grows. */
interface Press {
  readonly event: number;
  /** Of the segment at hand, in units of the RTP timestamp. */
  readonly start: number;
  readonly duration: number;
  readonly hasEnded: boolean;
}

/** The presses of one source, newest first. */
export interface HeardDigits {
  readonly ssrc: number | null;
  readonly presses: readonly Press[];
}

export const NO_DIGITS: HeardDigits = { ssrc: null, presses: [] };

const DIGITS = '0123456789*#ABCD';
const PAYLOAD_BYTES = 4;
/** Presses that a late packet is still recognised as part of. */
const MAX_PRESSES = 8;
/** From this duration on a press goes on in a new segment with a timestamp of its own (RFC 4733 2.5.1.3). */
const SEGMENT_UNITS = 0xffff;

const readEvent = ({ payload, timestamp }: RtpPacket): Press | null => {
  if (payload.length < PAYLOAD_BYTES) return null;
  const [event = 0, flags = 0, high = 0, low = 0] = payload;
  return { event, start: timestamp, duration: high * 256 + low, hasEnded: (flags & 0x80) !== 0 };
};

/**
 * Whether what came belongs to a press that is known: the same segment again; one that begins while that press was
 * still held, which no second press of the key can; or the next segment of a long one.
 */
const isPartOf = (press: Press, came: Press): boolean => {
  if (press.event !== came.event) return false;
  const later = (came.start - press.start) >>> 0;
  if (later === 0 || later < press.duration) return true;
  return !press.hasEnded && (later === press.duration || later === SEGMENT_UNITS);
};

/** Also a packet that came late and belongs to the segment before the one at hand. */
const isEarlierPartOf = (press: Press, came: Press): boolean =>
  press.event === came.event && (press.start - came.start) >>> 0 <= came.duration && came.duration > 0;

const merged = (press: Press, came: Press): Press => {
  if (came.start === press.start) {
    return {
      ...press,
      duration: Math.max(press.duration, came.duration),
      hasEnded: press.hasEnded || came.hasEnded,
    };
  }
  return (came.start - press.start) >>> 0 < 0x80000000 ? came : press;
};

/**
 * Takes one packet of the telephone-event payload type (RFC 4733, RFC 2833) in. `digit` is given with the first packet
 * of a press that arrives, whichever that is, and never again for that press. Events that are no digits are ignored.
 */
export const hearTelephoneEvent = (
  heard: HeardDigits,
  packet: RtpPacket,
): { readonly heard: HeardDigits; readonly digit: Digit | null } => {
  const came = readEvent(packet);
  const digit = came ? DIGITS[came.event] : undefined;
  if (!came || digit === undefined) return { heard, digit: null };
  const presses = packet.ssrc === heard.ssrc ? heard.presses : [];
  const known = presses.findIndex((press) => isPartOf(press, came) || isEarlierPartOf(press, came));
  if (known >= 0) {
    const updated = presses.map((press, i) => (i === known ? merged(press, came) : press));
    return { heard: { ssrc: packet.ssrc, presses: updated }, digit: null };
  }
  const next = [came, ...presses].slice(0, MAX_PRESSES);
  return { heard: { ssrc: packet.ssrc, presses: next }, digit: { digit, timestamp: packet.timestamp } };
};
