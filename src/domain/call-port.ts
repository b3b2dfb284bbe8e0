import type { AttemptResult, CallView, ClaimedCall, DialogNames } from './call.ts';
import type { CallLimits } from './claim-round.ts';
import type { Codec } from './codec.ts';
import type { Listing, Page } from './page.ts';
import type { CallTrace, TraceBatch, TraceLimits } from './sip-trace.ts';

export interface CallViews {
  listCalls(page: Page): Promise<Listing<CallView>>;
  findCall(id: string): Promise<CallView | null>;
  /** Empty for a call of which nothing is kept. */
  findCallTrace(callId: string): Promise<CallTrace>;
  /** Attempts of this node in progress whose blast was cancelled, on whichever node. */
  listCancelledAttempts(): Promise<readonly string[]>;
  /** Calls accepted and not yet dialled. */
  countWaiting(): Promise<number>;
  /** Calls in progress of all nodes, by state; what is missing is none. */
  countInProgress(): Promise<ReadonlyMap<string, number>>;
  /** When the next waiting call is due, or null if none waits. */
  nextDueAt(): Promise<number | null>;
}

export interface ClaimRequest {
  /** Calls that the claim commits at most. */
  readonly limit: number;
  /** Of all nodes together. */
  readonly server: CallLimits;
  /** By id; a trunk that is missing has no limits. */
  readonly trunks: ReadonlyMap<string, CallLimits>;
  /** Trunks that may have no call for now. */
  readonly heldTrunkIds: readonly string[];
  /** Between the starts of two calls to one destination. */
  readonly destinationSpacingMs: number;
  /** Names the dialog and picks a trunk that is not `closed`; null if there is none for now. */
  readonly plan: (
    trunkIds: readonly string[],
    destination: string,
    closedTrunkIds: readonly string[],
  ) => AttemptPlan | null;
}

export interface AttemptPlan {
  readonly names: DialogNames;
  readonly trunkId: string | null;
}

export type CallSlot = Pick<ClaimedCall, 'dialAt' | 'dialUntil'>;

export interface CallVerbs {
  /**
   * Claims due calls for this node as fair turns and the limits of server, trunks, applications and destinations allow,
   * and commits an attempt for each, with the time at which it is to be dialled. What cannot be dialled now for a reason
   * of its own is looked at again a little later.
   */
  claimCalls(claim: ClaimRequest): Promise<readonly ClaimedCall[]>;
  /** Other slots for claimed calls that were not dialled within their own, in their order. */
  takeSlots(
    attemptIds: readonly string[],
    limits: Pick<ClaimRequest, 'server' | 'trunks'>,
  ): Promise<readonly CallSlot[]>;
  /** `dialog` is what ends it should this node die. It happened `agoMs` before now, as in the two below. */
  recordRinging(attemptId: string, dialog: string | null, agoMs?: number): Promise<void>;
  recordAnswered(attemptId: string, codec: Codec | null, dialog: string | null, agoMs?: number): Promise<void>;
  /**
   * Outcome of the attempt and, unless its rule gives it another attempt, of the call and perhaps of the blast; whether
   * the call ended with it.
   */
  recordOutcome(attemptId: string, result: AttemptResult, agoMs?: number): Promise<boolean>;
  /** Ends waiting calls past their dial-by time as `expired`; how many. */
  expireCalls(): Promise<number>;

  /** Adds to what is kept of the SIP messages of attempts. */
  keepSipMessages(batch: TraceBatch): Promise<void>;
  /** Drops SIP messages that are too old or too many, the oldest first, at most `atMost`; how many. */
  dropOldSipMessages(limits: TraceLimits): Promise<number>;
}
