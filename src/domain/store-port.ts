import type { Application, Caller, NewAppKey, Settings } from './application.ts';
import type { BlastView, NewBlast } from './blast.ts';
import type { AttemptResult, CallView, ClaimedCall, DialogNames } from './call.ts';
import type { CallLimits } from './claim-round.ts';
import type { Codec } from './codec.ts';
import type { EventVerbs, EventViews } from './event-port.ts';
import type { Grant, GrantRecord, IssuedGrant, SpendingClip } from './grant.ts';
import type { NodeBeats } from './lease.ts';
import type { ClipVersion, IngestedAudio, Media, Processing, Renditions } from './media.ts';
import type { Network, Routes } from './network.ts';
import type { PartialUpload } from './partial-upload.ts';
import type { CallTrace, TraceBatch, TraceLimits } from './sip-trace.ts';
import type { Trunk, TrunkCredentials } from './trunk.ts';

/**
 * The store, in verbs. Work handed to `transact` is group-committed: many callers share one commit (one fsync), and
 * each promise settles only when its own work is durable. Work that throws is rolled back alone. If the commit
 * itself fails, every caller in the group gets `store_unavailable` (or `disk_full`).
 */
export interface Store {
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Committed data only; does not wait for a commit. */
  view<T>(work: (views: Views) => Promise<T>): Promise<T>;
  /** What is claimed from now on is claimed by this node. */
  actAs(nodeId: string): void;
  /** False if no other process can be using the database: former nodes are dead for sure. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

export interface Page {
  readonly limit: number;
  /** The `next` of the page before, or null for the first. */
  readonly cursor: string | null;
}

export interface Listing<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Reads. Absent things are null; lists are newest first. */
export interface Views extends EventViews {
  /** Milliseconds since 1970 by the database's clock. */
  nowMs(): Promise<number>;
  /** Who a key speaks for, or null if it is unknown or revoked. */
  findCaller(appKey: string): Promise<Caller | null>;
  findApplication(id: string): Promise<Application | null>;
  listApplications(page: Page): Promise<Listing<Application>>;
  findSettings(): Promise<Settings>;

  findNetwork(id: string): Promise<Network | null>;
  /** With `applicationId`, only the networks associated with it. */
  listNetworks(page: Page, applicationId?: string): Promise<Listing<Network>>;
  /** False for an unknown network or application too; does the same work in every case. */
  isAssociated(networkId: string, applicationId: string | null): Promise<boolean>;
  findRoutes(networkId: string): Promise<Routes | null>;
  /** SIP URIs that some network dials without a trunk: distinct, at most `limit`. */
  listDirectUris(limit: number): Promise<readonly string[]>;

  findTrunk(id: string): Promise<Trunk | null>;
  listTrunks(page: Page): Promise<Listing<Trunk>>;
  /** Null unless the trunk has both a user name and a password. */
  findTrunkCredentials(id: string): Promise<TrunkCredentials | null>;

  findMedia(id: string): Promise<Media | null>;
  listMedia(page: Page, applicationId?: string): Promise<Listing<Media>>;
  /** The clips of a media that are still there, newest first. */
  listClips(mediaId: string, limit: number): Promise<readonly ClipVersion[]>;
  isMediaOwned(mediaId: string, applicationId: string | null): Promise<boolean>;
  /**
   * Current clips of those of `mediaIds` that hold one; with `applicationId`, of those associated with it only.
   * One query whatever the number of ids.
   */
  findPlayable(mediaIds: readonly string[], applicationId: string | null): Promise<ReadonlyMap<string, PlayableClip>>;
  /** Null if there is none; throws an Error if it is not as it was stored. */
  findRendition(clipId: string, codec: Codec): Promise<Uint8Array | null>;
  /** Clips made before there were renditions for every codec, the newest first. */
  findIncompleteClips(): Promise<readonly IncompleteClip[]>;
  /** The uploaded octets, in parts of at most 1 MiB, in order. */
  findOriginalPart(clipId: string, part: number): Promise<Uint8Array | null>;

  findGrant(token: string): Promise<Grant | null>;
  /** Whether `grantId` is the id that was issued with the grant. */
  isGrantId(ref: number, grantId: string): Promise<boolean>;
  /** By the reference or by the grant id; with `applicationId`, only one that it asked for. */
  findGrantRecord(id: string, applicationId?: string): Promise<GrantRecord | null>;
  listGrants(page: Page, filter: { mediaId?: string; applicationId?: string }): Promise<Listing<GrantRecord>>;

  /** A partial upload of this grant. */
  findPartialUpload(ref: number, uploadId: string): Promise<PartialUpload | null>;
  /** What was sent of it, in parts of `PART_BYTES`, in order. */
  findPartialPart(uploadId: string, part: number): Promise<Uint8Array | null>;

  recallBlast(applicationId: string, idempotencyKey: string): Promise<RememberedBlast | null>;
  findBlast(id: string, applicationId?: string): Promise<BlastView | null>;
  isBlastOf(id: string, applicationId: string): Promise<boolean>;
  /** At most 100 calls of each blast are listed. */
  listBlasts(page: Page, applicationId?: string): Promise<Listing<BlastView>>;
  listCalls(page: Page): Promise<Listing<CallView>>;
  /** Attempts of this node in progress whose blast was cancelled, on whichever node. */
  listCancelledAttempts(): Promise<readonly string[]>;
  findCall(id: string): Promise<CallView | null>;
  /** Empty for a call of which nothing is kept. */
  findCallTrace(callId: string): Promise<CallTrace>;
  /** Calls accepted and not yet dialled. */
  countWaiting(): Promise<number>;
  /** Calls in progress of all nodes, by state; what is missing is none. */
  countInProgress(): Promise<ReadonlyMap<string, number>>;
  /** When the next waiting call is due, or null if none waits. */
  nextDueAt(): Promise<number | null>;
  /** Nodes that were not taken over, at most 1,000. */
  listNodes(): Promise<readonly NodeBeats[]>;
}

export interface PlayableClip {
  readonly clipId: string;
  readonly frameCount: number;
}

export interface IncompleteClip {
  readonly id: string;
  readonly frameCount: number;
}

export interface RememberedBlast {
  readonly blastId: string;
  /** Digest of the request that was answered under this key. */
  readonly requestDigest: string;
}

export type NewApplication = Omit<Application, 'createdAt' | 'id'> & { readonly id: string | null };
export type NewNetwork = Omit<Network, 'createdAt' | 'id'> & { readonly id: string | null };
export type NewTrunk = Omit<Trunk, 'createdAt' | 'id' | 'hasPassword'> & {
  readonly id: string | null;
  /** Plain; the store encrypts it. `null` for none; left out, the one that is there stays. */
  readonly password?: string | null;
};
export interface NewMedia {
  readonly id: string | null;
  readonly name: string;
  readonly applicationIds: readonly string[];
  /** Left out, `DEFAULT_PROCESSING`. */
  readonly processing?: Processing;
}

export interface NewClip {
  readonly id: string;
  readonly mediaId: string;
  readonly digest: string;
  readonly originalBytes: number;
  readonly audio: IngestedAudio;
}

/**
 * Reads and writes of one unit of work. An id that is null is allocated. Creating with a taken id throws
 * `duplicate_id`; naming another row that does not exist throws `invalid_field` with the field's name.
 */
export interface Transaction extends Views, EventVerbs {
  createApplication(application: NewApplication): Promise<string>;
  /** False if there is no such application. */
  replaceApplication(id: string, application: NewApplication): Promise<boolean>;
  deleteApplication(id: string): Promise<boolean>;
  /** Makes a key, or imports `secret`; a secret already in use anywhere throws `duplicate_id`. */
  createAppKey(applicationId: string, secret: string | null): Promise<NewAppKey>;
  revokeAppKey(applicationId: string, keyId: string): Promise<boolean>;
  replaceSettings(settings: Settings): Promise<void>;

  createNetwork(network: NewNetwork): Promise<string>;
  replaceNetwork(id: string, network: NewNetwork): Promise<boolean>;
  /** Adds those that the network does not have, in this order; `surplus` are those it has no room for. All distinct. */
  addDestinations(
    networkId: string,
    destinations: readonly string[],
  ): Promise<{ readonly added: number; readonly surplus: readonly string[] }>;
  deleteNetwork(id: string): Promise<boolean>;
  /** False if either does not exist. Idempotent. */
  associateNetwork(networkId: string, applicationId: string): Promise<boolean>;
  dissociateNetwork(networkId: string, applicationId: string): Promise<boolean>;

  createTrunk(trunk: NewTrunk): Promise<string>;
  replaceTrunk(id: string, trunk: NewTrunk): Promise<boolean>;
  /** Throws `in_use` while a network names it. */
  deleteTrunk(id: string): Promise<boolean>;

  createMedia(media: NewMedia): Promise<string>;
  /** Throws `in_use` while it is a default greeting. */
  deleteMedia(id: string): Promise<boolean>;
  associateMedia(mediaId: string, applicationId: string): Promise<boolean>;
  dissociateMedia(mediaId: string, applicationId: string): Promise<boolean>;

  issueGrant(grant: { mediaId: string; caller: Caller; ttlSeconds: number }): Promise<IssuedGrant>;
  /** Compare and set `open -> claimed` by this node; false if another upload was first. */
  claimGrant(ref: number, remoteAddress: string): Promise<boolean>;
  /** `claimed -> open` if this node has claimed it; `failed` counts a failed try. */
  releaseGrant(ref: number, failed: boolean): Promise<void>;
  /** Counts a failed try of a grant that was never claimed by it. */
  countFailedTry(ref: number): Promise<void>;
  /**
   * `claimed -> spent`, and drops its partial uploads; throws `grant_gone` if it was revoked meanwhile,
   * `grant_refused` if its key was.
   */
  spendGrant(ref: number, clip: SpendingClip, uploadId: string | null): Promise<void>;
  /** `open | claimed -> revoked`, and drops its partial uploads; false if it is spent or revoked already. */
  revokeGrant(ref: number): Promise<boolean>;

  /** Begins a resumable upload; the oldest one of the grant dies if there are `MAX_PARTIAL_UPLOADS`. */
  beginPartialUpload(ref: number, upload: Omit<PartialUpload, 'offsetBytes'>): Promise<void>;
  /**
   * Compare and set: adds octets at this offset, all within one part, or is false because the upload is at another
   * offset, is gone, or has no room for them.
   */
  appendToPartialUpload(uploadId: string, offsetBytes: number, octets: Uint8Array): Promise<boolean>;
  /** False if the grant has no such upload. */
  dropPartialUpload(ref: number, uploadId: string): Promise<boolean>;
  /** Drops the partial uploads of grants that are spent, revoked or expired; how many. */
  dropDeadPartialUploads(): Promise<number>;
  /** Drops the records of up to `limit` grants that ended 90 days ago; how many. */
  dropOldGrants(limit: number): Promise<number>;
  /**
   * Drops up to `limit` clips that were replaced a minute ago or more and that no unfinished blast is going to play;
   * how many. While very many calls wait it drops none.
   */
  dropReplacedClips(limit: number): Promise<number>;

  /** Keeps a part of an upload (at most 1 MiB) before its clip exists; it is dropped if this node is taken over. */
  stageOriginal(clipId: string, part: number, octets: Uint8Array): Promise<void>;
  /** Drops the parts of an upload that came to nothing; those of a clip stay. */
  dropStaged(clipId: string): Promise<void>;
  /** Commits the clip and makes it the current one of its media. Throws `not_found` if the media is gone. */
  insertClip(clip: NewClip): Promise<void>;
  /** Replaces the renditions of a clip by a whole set; nothing if the clip is gone. */
  completeClip(clipId: string, renditions: Renditions): Promise<void>;

  /** Commits the blast and one waiting call for each destination of its network, all pinned as they are now. */
  insertBlast(blast: NewBlast): Promise<void>;
  rememberBlast(applicationId: string, idempotencyKey: string, remembered: RememberedBlast): Promise<void>;

  /**
   * Claims due calls for this node as fair turns and the limits of server, trunks, applications and destinations allow,
   * and commits an attempt for each, with the time at which it is to be dialled. What cannot be dialled now for a reason
   * of its own is looked at again a little later.
   */
  claimCalls(claim: ClaimRequest): Promise<readonly ClaimedCall[]>;
  /** Another slot for a claimed call that was not dialled within its own. */
  takeSlot(attemptId: string, limits: Pick<ClaimRequest, 'server' | 'trunks'>): Promise<CallSlot>;
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
  /**
   * Ends what still waits, how many, and returns the attempts in progress; null if the blast had finished. Of a large
   * blast the rest of the calls is ended by `settleBlast`; none of them is dialled.
   */
  cancelBlast(blastId: string): Promise<CancelledBlast | null>;
  /** One step in unfolding a large blast into its calls, or in ending those of one that was cancelled. */
  settleBlast(): Promise<SettledPart>;

  /** Adds to what is kept of the SIP messages of attempts. */
  keepSipMessages(batch: TraceBatch): Promise<void>;
  /** Drops SIP messages that are too old or too many, the oldest first, at most `atMost`; how many. */
  dropOldSipMessages(limits: TraceLimits): Promise<number>;

  addNode(nodeId: string): Promise<void>;
  /** False if another has taken the node over: it must go on under another id. */
  beat(nodeId: string): Promise<boolean>;
  /**
   * Takes over a node that has not beaten since it showed these beats; null if it has, or if another took it over. Its
   * attempts in progress, and their calls, end `interrupted`; the grants it had claimed are open again, and what it had
   * staged of uploads is dropped.
   */
  takeOverNode(node: NodeBeats, takerId: string): Promise<TakenOverNode | null>;
  /** The dialog of an interrupted attempt has been ended: no further take-over tells of it. */
  forgetDialog(attemptId: string): Promise<void>;
  /** At start: drops partial uploads of dead grants and clips that nothing needs, forgets idempotency keys past 24 h. */
  sweep(): Promise<void>;
}

export interface TakenOverNode {
  readonly nodeId: string;
  /** What it had dialled and not seen end: peers may still ring or listen. */
  readonly dialogs: readonly InterruptedDialog[];
  /** What it had itself taken over, and not ended yet. */
  readonly left: readonly LeftDialog[];
}

/** A dialog that a node has left at a peer. */
export interface LeftDialog {
  readonly attemptId: string;
  readonly sipCallId: string;
  readonly trunkId: string | null;
  /** What ends it; null if no answer was recorded. */
  readonly dialog: string | null;
}

export interface InterruptedDialog extends DialogNames, LeftDialog {
  readonly destination: string;
  readonly answeredAt: number | null;
}

export type CallSlot = Pick<ClaimedCall, 'dialAt' | 'dialUntil'>;

export interface SettledPart {
  /** False if no blast is left to be settled. */
  readonly isMore: boolean;
  /** Calls that were cancelled. */
  readonly endedCalls: number;
}

export interface CancelledBlast {
  readonly attemptIds: readonly string[];
  /** Calls that waited and have ended now. */
  readonly endedCalls: number;
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
