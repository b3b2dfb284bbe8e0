/** An end of a SIP message's way: an IP address and a port. */
export interface TraceEnd {
  readonly address: string;
  readonly port: number;
}

/** One SIP message as it went over the wire, secrets masked. */
export interface TracedMessage {
  readonly direction: 'sent' | 'received';
  readonly transport: 'udp' | 'tcp' | 'tls';
  readonly local: TraceEnd;
  readonly remote: TraceEnd;
  /** Wall-clock milliseconds of the node that saw it. */
  readonly seenAt: number;
  readonly octets: Uint8Array;
}

/** What is added to the traces of attempts. */
export interface TraceBatch {
  readonly messages: readonly (TracedMessage & { readonly attemptId: string })[];
  /** How many messages of an attempt were not kept. */
  readonly omitted: readonly { readonly attemptId: string; readonly count: number }[];
}

/** The messages of all attempts of a call that are kept, in the order they were seen. */
export interface CallTrace {
  readonly messages: readonly (TracedMessage & { readonly attemptNumber: number })[];
  /** Messages beyond those, which were not kept. */
  readonly omitted: number;
}

/** Tells of a message just sent to, or come from, a peer. Cheap, and never throws; the octets do not change afterwards. */
export type NoteSipMessage = (
  direction: TracedMessage['direction'],
  octets: Uint8Array,
  peer: TraceEnd & Pick<TracedMessage, 'transport'>,
) => void;

export interface TraceLimits {
  /** Older messages go. */
  readonly keepForMs: number;
  /** The oldest go while the octets of all are more. */
  readonly maxBytes: number;
  /** Messages looked at in one go. */
  readonly atMost: number;
}
