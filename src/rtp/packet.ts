/** Octets of the fixed RTP header, without CSRC list and extension (RFC 3550 5.1). */
export const RTP_HEADER_BYTES = 12;

const VERSION = 2;
const MARKER = 0x80;

export interface RtpHeader {
  /** 0 to 127. */
  readonly payloadType: number;
  readonly marker: boolean;
  /** 0 to 65,535; what is above wraps round. */
  readonly sequence: number;
  /** In samples, modulo 2^32; what is above wraps round. */
  readonly timestamp: number;
  /** 32 bits, unsigned. */
  readonly ssrc: number;
}

export interface RtpPacket extends RtpHeader {
  /** A view of the octets that were parsed, without padding. */
  readonly payload: Uint8Array;
}

const viewOf = (octets: Uint8Array): DataView => new DataView(octets.buffer, octets.byteOffset, octets.byteLength);

/** Writes the 12 octets of a header without CSRC list, extension or padding at the start of `target` (RFC 3550 5.1). */
export const writeRtpHeader = (target: Uint8Array, header: RtpHeader): void => {
  const view = viewOf(target);
  view.setUint8(0, VERSION << 6);
  view.setUint8(1, (header.marker ? MARKER : 0) | (header.payloadType & 0x7f));
  view.setUint16(2, header.sequence);
  view.setUint32(4, header.timestamp);
  view.setUint32(8, header.ssrc);
};

/** Where the payload starts, or null if the header does not fit into the octets. */
const payloadStart = (view: DataView): number | null => {
  if (view.byteLength < RTP_HEADER_BYTES || view.getUint8(0) >> 6 !== VERSION) return null;
  const afterCsrc = RTP_HEADER_BYTES + 4 * (view.getUint8(0) & 0x0f);
  const hasExtension = (view.getUint8(0) & 0x10) !== 0;
  if (!hasExtension) return afterCsrc <= view.byteLength ? afterCsrc : null;
  if (afterCsrc + 4 > view.byteLength) return null;
  const afterExtension = afterCsrc + 4 + 4 * view.getUint16(afterCsrc + 2);
  return afterExtension <= view.byteLength ? afterExtension : null;
};

/** Where the payload ends: the last octet of padding counts the padding, itself included. Null if that is impossible. */
const payloadEnd = (view: DataView, start: number): number | null => {
  const isPadded = (view.getUint8(0) & 0x20) !== 0;
  if (!isPadded) return view.byteLength;
  const paddingBytes = view.getUint8(view.byteLength - 1);
  const end = view.byteLength - paddingBytes;
  return paddingBytes > 0 && end >= start ? end : null;
};

/** Where the payload of an RTP packet starts, behind CSRC list and extension; null if they do not fit (RFC 3550 5.1). */
export const rtpPayloadStart = (octets: Uint8Array): number | null => payloadStart(viewOf(octets));

/**
 * Reads an RTP packet: skips CSRC list and header extension, takes padding off (RFC 3550 5.1 and 5.3.1).
 * Never throws: octets that are no RTP packet give null.
 */
export const parseRtpPacket = (octets: Uint8Array): RtpPacket | null => {
  const view = viewOf(octets);
  const start = payloadStart(view);
  const end = start === null ? null : payloadEnd(view, start);
  if (start === null || end === null) return null;
  return {
    payloadType: view.getUint8(1) & 0x7f,
    marker: (view.getUint8(1) & MARKER) !== 0,
    sequence: view.getUint16(2),
    timestamp: view.getUint32(4),
    ssrc: view.getUint32(8),
    payload: octets.subarray(start, end),
  };
};
