import type { NtpTime } from './ntp.ts';

export const RTCP_TYPES = { senderReport: 200, receiverReport: 201, sourceDescription: 202, goodbye: 203 } as const;
export const SDES_CNAME = 1;
export const REPORT_BLOCK_BYTES = 24;
export const SENDER_INFO_BYTES = 20;

/** How one source is received (RFC 3550 6.4.1). */
export interface ReportBlock {
  readonly ssrc: number;
  /** Since the last report, in 1/256. */
  readonly fractionLost: number;
  /** Negative when packets came twice; 24 bits. */
  readonly cumulativeLost: number;
  /** Extended by the number of times it wrapped, 32 bits. */
  readonly highestSequence: number;
  /** In units of the RTP timestamp. */
  readonly jitter: number;
  /** Middle 32 bits of the NTP time of the last sender report, 0 if there was none. */
  readonly lastSenderReport: number;
  /** In 1/65,536 s. */
  readonly delaySinceSenderReport: number;
}

export interface SenderInfo {
  readonly ntp: NtpTime;
  readonly timestamp: number;
  readonly packets: number;
  /** Octets of payload. */
  readonly octets: number;
}

export type RtcpPacket =
  | {
      readonly kind: 'report';
      readonly ssrc: number;
      readonly sender: SenderInfo | null;
      readonly blocks: readonly ReportBlock[];
    }
  | {
      readonly kind: 'description';
      readonly chunks: readonly { readonly ssrc: number; readonly cname: string | null }[];
    }
  | { readonly kind: 'goodbye'; readonly ssrcs: readonly number[] }
  | { readonly kind: 'other'; readonly type: number };
