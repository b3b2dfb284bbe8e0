/** What the HTTP APIs answer, as far as the command line reads it (INTERFACE parts C and D). */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface NewAppKey {
  readonly id: string;
  readonly secret: string;
}

export interface RetryRule {
  readonly maxAttempts: number;
  readonly delaySeconds: number;
  readonly on: readonly string[];
}

export interface Application {
  readonly id: string;
  readonly name: string;
  readonly defaultGreetingId: string | null;
  readonly retry: RetryRule;
  readonly priority?: number;
  readonly maxConcurrentCalls?: number | null;
  readonly callsPerSecond?: number | null;
  readonly dialBySeconds?: number;
  readonly leadInMs?: number;
  readonly gapMs?: number;
  readonly tailMs?: number;
  readonly appKey?: NewAppKey;
}

export interface Network {
  readonly id: string;
  readonly name: string;
  readonly destinations: readonly string[];
  readonly trunkIds: readonly string[];
  readonly callerId: string | null;
  readonly applicationIds: readonly string[];
}

export interface ImportReport {
  readonly accepted: number;
  readonly duplicates: number;
  readonly refusedCount: number;
  readonly refused: readonly { readonly line: number; readonly value: string; readonly reason: string }[];
}

export interface Trunk {
  readonly id: string;
  readonly host: string;
  readonly port: number | null;
  readonly transport: string;
  readonly hasPassword: boolean;
  readonly callerId: string | null;
  readonly allowedPrefixes: readonly string[];
  readonly maxConcurrentCalls: number | null;
  readonly callsPerSecond: number | null;
  readonly codecs: readonly string[];
  readonly healthCheck: string;
  readonly state: string;
  /** Absent from servers that know none. */
  readonly stateReason?: string | null;
  readonly degraded?: boolean;
  readonly registration?: {
    readonly state: string;
    readonly expiresAt: string | null;
    readonly reason: string | null;
  } | null;
}

export interface Media {
  readonly id: string;
  readonly name: string;
  readonly applicationIds?: readonly string[];
  readonly clip: Clip | null;
}

export interface Clip {
  readonly durationMs: number;
  readonly bytes: number;
  readonly type: string;
  readonly createdAt: string;
  /** Null for silence; absent from servers that know none. */
  readonly loudness?: { readonly sourceLufs: number; readonly lufs: number; readonly truePeakDbfs: number } | null;
}

/** A clip among the others of its media. */
export interface ClipVersion extends Clip {
  readonly id: string;
  readonly sha256: string;
  readonly current: boolean;
  readonly renditions: readonly { readonly codec: string; readonly bytes: number }[];
}

export interface Peaks {
  readonly peakDbfs: number | null;
  readonly rmsDbfs: number | null;
  readonly peaks: readonly (readonly [lowest: number, highest: number])[];
}

export interface ClipProgress {
  readonly mediaId: string | null;
  readonly framesSent: number;
  readonly framesTotal: number;
}

export interface ClipPlace {
  readonly mediaId: string | null;
  readonly ms: number;
}

export interface RtpFigures {
  readonly packetsSent: number;
  /** These two are absent from servers that know none. */
  readonly packetsRefused?: number | null;
  readonly peerRefusals?: number | null;
  readonly packetsLost: number | null;
  readonly jitterMs: number | null;
  readonly roundTripMs: number | null;
  readonly mosEstimate: number | null;
  readonly latenessMs: { readonly p50: number; readonly p99: number } | null;
}

export interface Attempt {
  readonly number: number;
  readonly trunkId: string | null;
  readonly sipCallId: string;
  readonly dialledAt: string | null;
  readonly ringingAt: string | null;
  readonly answeredAt: string | null;
  readonly endedAt: string | null;
  readonly sipStatus: number | null;
  readonly sipReason: string | null;
  readonly codec: string | null;
  readonly clips: readonly ClipProgress[];
  /** These are absent from servers that know none. */
  readonly digits?: readonly (ClipPlace & { readonly digit: string })[];
  readonly hungUpAt?: ClipPlace | null;
  readonly rtp?: RtpFigures;
}

export interface Call {
  readonly id: string;
  readonly blastId?: string;
  readonly destination: string;
  readonly state: string;
  readonly outcome: string | null;
  readonly attempts: readonly Attempt[];
}

export interface Blast {
  readonly id: string;
  readonly applicationId: string;
  readonly networkId: string;
  readonly mediaIds: readonly string[];
  readonly greetingId: string | null;
  readonly acceptedAt: string;
  readonly state: string;
  readonly calls: readonly Call[];
}

export interface Grant {
  readonly id: string;
  readonly mediaId: string;
  readonly applicationId: string;
  readonly appKeyId: string;
  readonly state: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly claimedAt: string | null;
  readonly remoteAddress: string | null;
  readonly spentAt: string | null;
  readonly revokedAt: string | null;
  readonly failedTries: number;
  readonly clip: { readonly id: string; readonly sha256: string; readonly bytes: number } | null;
}

/** `MediaResponse` of the seed interface. */
export interface MediaAnswer {
  readonly MediaResponse: { readonly message: string; readonly status: number; readonly fileSize: number };
}

/** `UploadResponse` of the seed interface. */
export interface GrantAnswer {
  readonly UploadResponse: {
    readonly message: string;
    readonly status: number;
    readonly grantId: string;
    readonly uri: string;
  };
}

/** The data of an event; what it has beside these depends on its type. */
export type PublishedEvent = Readonly<Record<string, string>> & {
  readonly id?: string;
  readonly type: string;
  readonly at?: string;
};

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly types: readonly string[] | null;
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  readonly failingSince: string | null;
  readonly previousSecretUntil: string | null;
  readonly createdAt: string;
  /** In the answers to its making and rotation alone. */
  readonly secret?: string;
}

/** One SIP message of a call, secrets masked. */
export interface SipMessage {
  readonly attempt: number;
  readonly direction: 'sent' | 'received';
  readonly transport: string;
  /** `ADDRESS:PORT` */
  readonly local: string;
  readonly remote: string;
  readonly at: string;
  readonly text: string;
}

export interface CallTrace {
  readonly items: readonly SipMessage[];
  /** Messages beyond those, which were not kept. */
  readonly omitted: number;
}
