import type { Application } from './application.ts';
import type { Backlog } from './backlog.ts';
import type { BlastView, NewBlast } from './blast.ts';
import type { Listing, Page } from './page.ts';

export interface BlastViews {
  recallBlast(applicationId: string, idempotencyKey: string): Promise<RememberedBlast | null>;
  findBlast(id: string, applicationId?: string): Promise<BlastView | null>;
  isBlastOf(id: string, applicationId: string): Promise<boolean>;
  /** At most 100 calls of each blast are listed. */
  listBlasts(page: Page, applicationId?: string): Promise<Listing<BlastView>>;
  /** What waits in the way of a blast, were it accepted now; its own queue is counted up to `atMost`. */
  findBacklog(blast: QueuedBlast, atMost: number): Promise<Backlog>;
}

/** What tells the queue and the turns of a blast. */
export interface QueuedBlast {
  readonly application: Pick<Application, 'id' | 'priority'>;
  readonly trunkIds: readonly string[];
  readonly calls: number;
}

export interface RememberedBlast {
  readonly blastId: string;
  /** Digest of the request that was answered under this key. */
  readonly requestDigest: string;
}

export interface CancelledBlast {
  readonly attemptIds: readonly string[];
  /** Calls that waited and have ended now. */
  readonly endedCalls: number;
}

export interface SettledPart {
  /** False if no blast is left to be settled. */
  readonly isMore: boolean;
  /** Calls that were cancelled. */
  readonly endedCalls: number;
}

export interface BlastVerbs {
  /** Commits blasts, each with one waiting call for each destination of its network, all pinned as they are now. */
  insertBlast(...blasts: readonly NewBlast[]): Promise<void>;
  rememberBlast(applicationId: string, idempotencyKey: string, remembered: RememberedBlast): Promise<void>;
  /**
   * Ends what still waits, how many, and returns the attempts in progress; null if the blast had finished. Of a large
   * blast the rest of the calls is ended by `settleBlast`; none of them is dialled.
   */
  cancelBlast(blastId: string): Promise<CancelledBlast | null>;
  /** One step in unfolding a large blast into its calls, or in ending those of one that was cancelled. */
  settleBlast(): Promise<SettledPart>;
}
