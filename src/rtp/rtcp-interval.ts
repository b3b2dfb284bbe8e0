/** What the time between two reports depends on (RFC 3550 6.3.1). */
export interface RtcpConditions {
  /** Both sides of a call: 2 when the peer was heard, else 1. */
  readonly members: number;
  /** Those of them that send voice. */
  readonly senders: number;
  readonly isSender: boolean;
  /** No report was sent yet. */
  readonly isFirst: boolean;
  /** Of compound packets sent and received, with UDP and IP headers. */
  readonly averageBytes: number;
  /** 5 % of the session's bandwidth (RFC 3550 6.2). */
  readonly rtcpBytesPerSecond: number;
}

const MIN_INTERVAL_MS = 5_000;
const SENDER_SHARE = 0.25;
/** e - 3/2 makes up for timer reconsideration, which settles below the average that was meant. */
const COMPENSATION = Math.E - 1.5;

const evenIntervalMs = (conditions: RtcpConditions): number => {
  const { members, senders, isSender, averageBytes, rtcpBytesPerSecond } = conditions;
  const areSendersFew = senders <= members * SENDER_SHARE;
  const share = isSender ? SENDER_SHARE : 1 - SENDER_SHARE;
  const sharing = isSender ? senders : members - senders;
  const bytesPerSecond = areSendersFew ? rtcpBytesPerSecond * share : rtcpBytesPerSecond;
  return ((areSendersFew ? sharing : members) * averageBytes * 1_000) / bytesPerSecond;
};

/**
 * Time until the next report: at least 5 s on average, half of it before the first, and never in step with others
 * (RFC 3550 6.2, 6.3.1). `random` is in [0, 1). When the time has come it is reckoned again from the last report, and if
 * it now ends later, waited on (6.3.6). BYE waits for nothing: it has to only from 50 members on (6.3.7).
 */
export const rtcpIntervalMs = (conditions: RtcpConditions, random: number): number => {
  const least = conditions.isFirst ? MIN_INTERVAL_MS / 2 : MIN_INTERVAL_MS;
  return (Math.max(least, evenIntervalMs(conditions)) * (0.5 + random)) / COMPENSATION;
};

/** The running average of the sizes of compound packets (RFC 3550 6.3.3). */
export const averageRtcpBytes = (average: number, bytes: number): number => bytes / 16 + (average * 15) / 16;
