import {
  REPORT_BLOCK_BYTES,
  type ReportBlock,
  RTCP_TYPES,
  type RtcpPacket,
  SDES_CNAME,
  SENDER_INFO_BYTES,
  type SenderInfo,
} from './rtcp-packet.ts';

const HEADER_BYTES = 4;
const PADDING = 0x20;

const viewOf = (octets: Uint8Array): DataView => new DataView(octets.buffer, octets.byteOffset, octets.byteLength);

const readBlock = (view: DataView, at: number): ReportBlock => ({
  ssrc: view.getUint32(at),
  fractionLost: view.getUint8(at + 4),
  cumulativeLost: (view.getInt32(at + 4) << 8) >> 8,
  highestSequence: view.getUint32(at + 8),
  jitter: view.getUint32(at + 12),
  lastSenderReport: view.getUint32(at + 16),
  delaySinceSenderReport: view.getUint32(at + 20),
});

const readSender = (view: DataView): SenderInfo => ({
  ntp: { seconds: view.getUint32(8), fraction: view.getUint32(12) },
  timestamp: view.getUint32(16),
  packets: view.getUint32(20),
  octets: view.getUint32(24),
});

/** `view` is one packet with its header; `count` its five-bit count. */
type Reader = (view: DataView, count: number) => RtcpPacket | null;

const readReport =
  (isFromSender: boolean): Reader =>
  (view, count) => {
    const blocksAt = 8 + (isFromSender ? SENDER_INFO_BYTES : 0);
    if (view.byteLength < blocksAt + count * REPORT_BLOCK_BYTES) return null;
    return {
      kind: 'report',
      ssrc: view.getUint32(4),
      sender: isFromSender ? readSender(view) : null,
      blocks: Array.from({ length: count }, (_, i) => readBlock(view, blocksAt + i * REPORT_BLOCK_BYTES)),
    };
  };

/** The CNAME among the items from `at` on, and where the chunk ends; null if an item does not fit (RFC 3550 6.5). */
const readItems = (view: DataView, at: number): { readonly cname: string | null; readonly end: number } | null => {
  let cname: string | null = null;
  let next = at;
  while (next < view.byteLength && view.getUint8(next) !== 0) {
    if (next + 2 > view.byteLength) return null;
    const end = next + 2 + view.getUint8(next + 1);
    if (end > view.byteLength) return null;
    if (view.getUint8(next) === SDES_CNAME) cname = textOf(view, next + 2, end);
    next = end;
  }
  // At least one zero octet ends the list; the next chunk starts at a multiple of four.
  return next < view.byteLength ? { cname, end: (next & ~3) + 4 } : null;
};

const textOf = (view: DataView, start: number, end: number): string =>
  new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + start, end - start));

const readDescription: Reader = (view, count) => {
  const chunks: { ssrc: number; cname: string | null }[] = [];
  let at = HEADER_BYTES;
  for (let i = 0; i < count; i++) {
    const items = at + 4 <= view.byteLength ? readItems(view, at + 4) : null;
    if (!items) return null;
    chunks.push({ ssrc: view.getUint32(at), cname: items.cname });
    at = items.end;
  }
  return { kind: 'description', chunks };
};

const readGoodbye: Reader = (view, count) => {
  if (view.byteLength < HEADER_BYTES + 4 * count) return null;
  return { kind: 'goodbye', ssrcs: Array.from({ length: count }, (_, i) => view.getUint32(HEADER_BYTES + 4 * i)) };
};

const READERS: Readonly<Record<number, Reader>> = {
  [RTCP_TYPES.senderReport]: readReport(true),
  [RTCP_TYPES.receiverReport]: readReport(false),
  [RTCP_TYPES.sourceDescription]: readDescription,
  [RTCP_TYPES.goodbye]: readGoodbye,
};

/** The packet at `at`, whose lengths add up; only the last of a compound may be padded (RFC 3550 6.4.1, A.2). */
const packetAt = (whole: DataView, at: number): DataView | null => {
  if (at + HEADER_BYTES > whole.byteLength || whole.getUint8(at) >> 6 !== 2) return null;
  const length = HEADER_BYTES + 4 * whole.getUint16(at + 2);
  const isLast = at + length === whole.byteLength;
  if (at + length > whole.byteLength) return null;
  if ((whole.getUint8(at) & PADDING) === 0) return new DataView(whole.buffer, whole.byteOffset + at, length);
  const padding = whole.getUint8(at + length - 1);
  const isFit = isLast && at > 0 && padding > 0 && padding % 4 === 0 && padding <= length - HEADER_BYTES;
  return isFit ? new DataView(whole.buffer, whole.byteOffset + at, length - padding) : null;
};

const readPacket = (view: DataView): RtcpPacket | null => {
  const type = view.getUint8(1);
  const reader = READERS[type];
  return reader ? reader(view, view.getUint8(0) & 0x1f) : { kind: 'other', type };
};

const isReport = (octets: Uint8Array): boolean =>
  octets[1] === RTCP_TYPES.senderReport || octets[1] === RTCP_TYPES.receiverReport;

/**
 * Reads a compound RTCP packet with the validity checks of RFC 3550 A.2: a report first, lengths that add up, padding
 * at the end alone. Never throws; null if anything is wrong with any part of it.
 */
export const parseRtcp = (octets: Uint8Array): readonly RtcpPacket[] | null => {
  if (!isReport(octets)) return null;
  const whole = viewOf(octets);
  const packets: RtcpPacket[] = [];
  for (let at = 0; at < octets.length; at += HEADER_BYTES + 4 * whole.getUint16(at + 2)) {
    const view = packetAt(whole, at);
    const packet = view ? readPacket(view) : null;
    if (!packet) return null;
    packets.push(packet);
  }
  return packets;
};

/** Whether a packet on a port that RTP and RTCP share is RTCP: payload types 64 to 95 are never RTP's (RFC 5761 4). */
export const isRtcp = (octets: Uint8Array): boolean => {
  const payloadType = (octets[1] ?? 0) & 0x7f;
  return payloadType >= 64 && payloadType < 96;
};
