import type { PlaylistItem } from './blast.ts';
import type { Codec } from './codec.ts';
import type { Outcome } from './outcome.ts';
import type { Silences } from './silences.ts';
import type { Trunk, TrunkCredentials } from './trunk.ts';

export type CallState = 'waiting' | 'dialing' | 'ringing' | 'playing' | 'finished';

/** How much of one clip of the playlist was sent; the greeting comes first (`mediaId` null when built-in). */
export interface ClipProgress {
  readonly mediaId: string | null;
  readonly framesSent: number;
  readonly framesTotal: number;
}

/** So far into a clip of the playlist; `mediaId` null for the built-in greeting. */
export interface ClipPlace {
  readonly mediaId: string | null;
  readonly ms: number;
}

/** A key that the callee pressed, and what was being played. */
export interface PressedDigit extends ClipPlace {
  /** `0` to `9`, `*`, `#`, `A` to `D`. */
  readonly digit: string;
}

export interface RtpFigures {
  readonly packetsSent: number;
  /** Packets that this machine's kernel did not take; null until it has ended. */
  readonly packetsRefused: number | null;
  /** ICMP refusals of the machine that voice went to; null until it has ended. */
  readonly peerRefusals: number | null;
  readonly packetsLost: number | null;
  readonly jitterMs: number | null;
  readonly roundTripMs: number | null;
  /** An estimate by the E-model (ITU-T G.107) from the peer's reports, 1 to 4.5: nobody listened. */
  readonly mosEstimate: number | null;
  /** How late packets left, half of them and 99 in a hundred: bounds of bands, 100 for all above. */
  readonly latenessMs: { readonly p50: number; readonly p99: number } | null;
}

export const NO_RTP: RtpFigures = {
  packetsSent: 0,
  packetsRefused: null,
  peerRefusals: null,
  packetsLost: null,
  jitterMs: null,
  roundTripMs: null,
  mosEstimate: null,
  latenessMs: null,
};

/** One try at a call: at most one INVITE dialog. Times are wall-clock milliseconds of the database's clock. */
export interface AttemptView {
  readonly id: string;
  readonly number: number;
  readonly trunkId: string | null;
  readonly sipCallId: string;
  readonly dialledAt: number;
  readonly ringingAt: number | null;
  readonly answeredAt: number | null;
  readonly endedAt: number | null;
  readonly outcome: Outcome | null;
  readonly sipStatus: number | null;
  readonly sipReason: string | null;
  readonly codec: Codec | null;
  readonly clips: readonly ClipProgress[];
  readonly digits: readonly PressedDigit[];
  /** Where the callee hung up; null if it was not so, or nothing had been played. */
  readonly hungUpAt: ClipPlace | null;
  readonly rtp: RtpFigures;
}

/** One destination of one blast, until its one outcome. */
export interface CallView {
  readonly id: string;
  readonly blastId: string;
  readonly destination: string;
  readonly state: CallState;
  readonly outcome: Outcome | null;
  readonly attempts: readonly AttemptView[];
}

/** The names of the dialog to be, committed with the attempt before the first octet is sent. */
export interface DialogNames {
  readonly sipCallId: string;
  readonly fromTag: string;
  /** Branch of the INVITE, with the `z9hG4bK` cookie (RFC 3261 8.1.1.7). */
  readonly branch: string;
}

/** A claimed call: its attempt is committed, nothing has been sent. */
export interface ClaimedCall extends DialogNames {
  readonly callId: string;
  readonly blastId: string;
  readonly attemptId: string;
  readonly attemptNumber: number;
  readonly destination: string;
  readonly trunkId: string | null;
  readonly callerId: string | null;
  readonly playlist: readonly PlaylistItem[];
  readonly silences: Silences;
  /** Its slot, in milliseconds of the database's clock; at most `HORIZON_MS` after the claim. */
  readonly dialAt: number;
  /** Afterwards it needs another slot, by `takeSlots`; null if it never does. */
  readonly dialUntil: number | null;
}

/** Everything telephony needs to place one call. Renditions are loaded before: nothing is fetched at answer time. */
export interface CallOrder extends DialogNames {
  readonly attemptId: string;
  readonly destination: string;
  readonly trunk: CallTrunk | null;
  /** E.164 number or SIP user to show as the caller, null for anonymous. */
  readonly callerId: string | null;
  readonly ringTimeoutMs: number;
  readonly codecs: readonly Codec[];
  /** Whether voice is encrypted: never, if the peer can, or not sent otherwise. */
  readonly srtp: Trunk['srtp'];
  /** Whether voice goes to where the peer's comes from, whatever its SDP says. */
  readonly comedia: boolean;
  readonly clips: readonly ClipAudio[];
  readonly silences: Silences;
}

/** Where a trunk's calls are sent, and what it is shown if it asks. */
export interface CallTrunk {
  readonly id: string;
  readonly host: string;
  /** Null: DNS says it (RFC 3263). */
  readonly port: number | null;
  readonly transport: Trunk['transport'];
  readonly credentials: TrunkCredentials | null;
}

/** One clip ready to be sent: frames in shared memory, one buffer per codec. */
export interface ClipAudio {
  readonly key: string;
  readonly mediaId: string | null;
  readonly frameCount: number;
  readonly renditions: Readonly<Record<Codec, SharedArrayBuffer>>;
}

/** How an attempt ended; always there, never thrown. */
export interface AttemptResult {
  readonly outcome: Outcome;
  readonly sipStatus: number | null;
  readonly sipReason: string | null;
  readonly codec: Codec | null;
  /** Frames sent of each clip of the order, in its order. */
  readonly framesSent: readonly number[];
  readonly rtp: RtpFigures;
  /** In the order they were pressed. */
  readonly digits: readonly PressedDigit[];
  readonly hungUpAt: ClipPlace | null;
  /** Somebody picked up, if only after the call was given up: there is no further attempt. */
  readonly wasAnswered?: boolean;
  /** Seconds for which the peer wants no further attempt (RFC 3261 20.33), at most a day; absent if it did not say. */
  readonly retryAfterSeconds?: number;
}
