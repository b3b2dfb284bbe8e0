import type { AttemptResult, CallOrder, CallTrunk } from './call.ts';
import type { Codec } from './codec.ts';
import type { IngestedAudio, IngestLimits, Processing, Renditions } from './media.ts';
import type { Routes } from './network.ts';
import type { Admission, TrunkRegistration, TrunkState } from './trunk.ts';
import type { Delivery } from './webhook.ts';

export type CallProgress =
  | { readonly kind: 'ringing'; readonly dialog: string | null }
  /** Somebody picked up. No codec if nothing will be played: the answer came too late, or cannot be used. */
  | { readonly kind: 'answered'; readonly codec: Codec | null; readonly dialog: string | null }
  /** The callee pressed a key. */
  | { readonly kind: 'digit'; readonly digit: string };

/** A call under way. */
export interface PlacedCall {
  /** Always resolves, once, when both signalling and media are over. */
  readonly result: Promise<AttemptResult>;
  /** CANCEL or BYE, as the state needs. The result tells `cancelled`, unless the call had ended by itself before. */
  cancel(): void;
  /** Frames sent so far of each clip, read live. */
  framesSent(): readonly number[];
}

/** Places one call: at most one INVITE dialog. */
export type PlaceCall = (order: CallOrder, onProgress: (progress: CallProgress) => void) => PlacedCall;

/**
 * Ends what a node that is no more has left at a peer; resolves when that is done or given up. `dialog` is what a
 * `CallProgress` told of it, `trunk` that of the call, as it is now.
 */
export type EndDialog = (interrupted: {
  readonly sipCallId: string;
  readonly dialog: string | null;
  readonly trunk: CallTrunk | null;
}) => Promise<void>;

/** What health checks found of the ways out. */
export interface RouteHealth {
  trunkState(trunkId: string): TrunkState;
  /** What is wrong with the trunk beyond silence, in a sentence; null if nothing. */
  stateReason(trunkId: string): string | null;
  /** Not down, but something is wrong with it: it is chosen after others. */
  isDegraded(trunkId: string): boolean;
  /** Null for a trunk that is not to be registered. */
  registration(trunkId: string): TrunkRegistration | null;
  /** Whether the trunk may be given calls: not while it refuses our password, or has asked to be left alone. */
  admission(trunkId: string): Admission;
  /** Whether any way out of the network is not known to be down. Unknown counts as up. */
  isCallable(routes: Routes): boolean;
  /**
   * To be called after trunks or direct destinations changed, so that new ones are probed at once. What was held
   * against the trunk that changed is forgotten.
   */
  refresh(changedTrunkId?: string): void;
}

/**
 * Decodes, checks, levels and encodes an uploaded file. Throws `not_audio`, `upload_too_long`, `ingest_busy`,
 * `disk_full`.
 */
export type Ingest = (path: string, limits: IngestLimits, processing: Processing) => Promise<IngestedAudio>;

/**
 * Judges a file that is still arriving by its first `HEAD_BYTES` octets, and gives how many octets it may have before it
 * is longer than allowed: Infinity where they do not tell. Throws `not_audio`.
 */
export type JudgeHead = (head: Uint8Array, limits: IngestLimits) => Promise<number>;

export type WebhookAnswer =
  | { readonly kind: 'answered'; readonly status: number }
  /** Nothing was sent: the address is one that webhooks may not reach. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unanswered'; readonly reason: string };

/** Posts one delivery, signed, within 15 s. Never rejects; `reason` never holds the URL. */
export type SendWebhook = (delivery: Delivery, cancel: AbortSignal) => Promise<WebhookAnswer>;

/** The built-in greeting. */
export interface BuiltInGreeting {
  readonly frameCount: number;
  readonly renditions: Renditions;
}

/** Structured log, shaped like pino's: an object of fields, then a message. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Wakes once, at or after a monotonic delay in milliseconds; the answer cancels it. */
export type WakeAfter = (delayMs: number, wake: () => void) => () => void;

export interface RandomSource {
  /** `length` decimal digits from a CSPRNG. */
  digits(length: number): string;
  /** `bytes` random octets in hex. */
  hex(bytes: number): string;
}
