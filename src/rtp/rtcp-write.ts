import {
  REPORT_BLOCK_BYTES,
  type ReportBlock,
  RTCP_TYPES,
  SDES_CNAME,
  SENDER_INFO_BYTES,
  type SenderInfo,
} from './rtcp-packet.ts';

/** What one participant tells at a time; `writeRtcp` makes it a compound packet. */
export interface RtcpReport {
  readonly ssrc: number;
  /** Null while nothing was sent: then it is a receiver report (RFC 3550 6.4). */
  readonly sender: SenderInfo | null;
  /** At most 31. */
  readonly blocks: readonly ReportBlock[];
  /** At most 255 octets of ASCII; see `shortTermCname`. */
  readonly cname: string;
  readonly isGoodbye: boolean;
}

const CNAME_RANDOM_BYTES = 12;

/** A CNAME that tells nobody anything: 96 random bits, anew for each call (RFC 7022 4.2 (b) and 5). */
export const shortTermCname = (random: Uint8Array): string =>
  Buffer.from(random.subarray(0, CNAME_RANDOM_BYTES)).toString('base64');

const writeHeader = (view: DataView, at: number, count: number, type: number, length: number): void => {
  view.setUint8(at, 0x80 | count);
  view.setUint8(at + 1, type);
  view.setUint16(at + 2, length / 4 - 1);
};

const writeSender = (view: DataView, at: number, { ntp, timestamp, packets, octets }: SenderInfo): void => {
  view.setUint32(at, ntp.seconds);
  view.setUint32(at + 4, ntp.fraction);
  view.setUint32(at + 8, timestamp);
  view.setUint32(at + 12, packets);
  view.setUint32(at + 16, octets);
};

const writeBlock = (view: DataView, at: number, block: ReportBlock): void => {
  view.setUint32(at, block.ssrc);
  view.setUint32(at + 4, block.cumulativeLost);
  view.setUint8(at + 4, block.fractionLost);
  view.setUint32(at + 8, block.highestSequence);
  view.setUint32(at + 12, block.jitter);
  view.setUint32(at + 16, block.lastSenderReport);
  view.setUint32(at + 20, block.delaySinceSenderReport);
};

const writeReport = (view: DataView, { ssrc, sender, blocks }: RtcpReport): number => {
  const blocksAt = 8 + (sender ? SENDER_INFO_BYTES : 0);
  const length = blocksAt + blocks.length * REPORT_BLOCK_BYTES;
  writeHeader(view, 0, blocks.length, sender ? RTCP_TYPES.senderReport : RTCP_TYPES.receiverReport, length);
  view.setUint32(4, ssrc);
  if (sender) writeSender(view, 8, sender);
  for (const [i, block] of blocks.entries()) writeBlock(view, blocksAt + i * REPORT_BLOCK_BYTES, block);
  return length;
};

const writeDescription = (view: DataView, at: number, { ssrc, cname }: RtcpReport): number => {
  // Header, source, item header, and one to four zero octets up to the next multiple of four.
  const length = (10 + cname.length + 4) & ~3;
  for (let i = at; i < at + length; i++) view.setUint8(i, 0);
  writeHeader(view, at, 1, RTCP_TYPES.sourceDescription, length);
  view.setUint32(at + 4, ssrc);
  view.setUint8(at + 8, SDES_CNAME);
  view.setUint8(at + 9, cname.length);
  for (let i = 0; i < cname.length; i++) view.setUint8(at + 10 + i, cname.charCodeAt(i));
  return length;
};

const writeGoodbye = (view: DataView, at: number, { ssrc }: RtcpReport): number => {
  writeHeader(view, at, 1, RTCP_TYPES.goodbye, 8);
  view.setUint32(at + 4, ssrc);
  return 8;
};

/**
 * Writes a compound packet at the start of `target` and answers its length: report, CNAME, and BYE if it is the last
 * (RFC 3550 6.1). With one block and a CNAME of `shortTermCname` it takes 88 octets at most.
 */
export const writeRtcp = (target: Uint8Array, report: RtcpReport): number => {
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  const reportBytes = writeReport(view, report);
  const length = reportBytes + writeDescription(view, reportBytes, report);
  return report.isGoodbye ? length + writeGoodbye(view, length, report) : length;
};
