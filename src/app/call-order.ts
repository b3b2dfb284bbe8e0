import { type AttemptResult, type CallOrder, type ClaimedCall, NO_RTP } from '../domain/call.ts';
import { CODECS } from '../domain/codec.ts';
import { parseDestination } from '../domain/destination.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { CallProgress, Log } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { allowsNumber, type Trunk } from '../domain/trunk.ts';
import { callTrunkOf } from './call-trunk.ts';
import type { ClipCache } from './clip-cache.ts';

/** A result of a call on which no octet was sent. */
export const notDialled = (claimed: ClaimedCall, outcome: Outcome, reason: string | null): AttemptResult => ({
  outcome,
  sipStatus: null,
  sipReason: reason,
  codec: null,
  framesSent: claimed.playlist.map(() => 0),
  rtp: NO_RTP,
  digits: [],
  hungUpAt: null,
});

/** Why a claimed call cannot be dialled over its trunk as it is now, or null if it can. */
export const whyNotDial = (claimed: ClaimedCall, trunk: Trunk | null): string | null => {
  const destination = parseDestination(claimed.destination);
  if (claimed.trunkId !== null && !trunk) return `Trunk ${claimed.trunkId} is gone`;
  if (destination?.kind !== 'number') return null;
  if (!trunk) return 'A number needs a trunk';
  return allowsNumber(trunk, destination.number) ? null : `Trunk ${trunk.id} does not allow this number`;
};

/** Everything telephony needs, renditions included. Throws if a clip cannot be loaded. */
export const orderOf = async (
  claimed: ClaimedCall,
  trunk: Trunk | null,
  options: { store: Store; clips: ClipCache; ringTimeoutMs: number },
): Promise<CallOrder> => ({
  attemptId: claimed.attemptId,
  sipCallId: claimed.sipCallId,
  fromTag: claimed.fromTag,
  branch: claimed.branch,
  destination: claimed.destination,
  trunk: trunk && (await callTrunkOf(options.store, trunk)),
  callerId: claimed.callerId ?? trunk?.callerId ?? null,
  ringTimeoutMs: options.ringTimeoutMs,
  codecs: trunk?.codecs ?? CODECS,
  srtp: trunk?.srtp ?? 'off',
  silences: claimed.silences,
  clips: await Promise.all(claimed.playlist.map((item) => options.clips.load(item))),
});

/** The one line that tells which call it is; the destination is nobody's business who reads logs. */
export const logDialled = (
  log: Log,
  { attemptId, attemptNumber, callId, blastId, trunkId, sipCallId }: ClaimedCall,
): void => log.info({ attemptId, attemptNumber, callId, blastId, trunkId, sipCallId }, 'call dialled');

/** Keys that were pressed may be a secret of the callee's. */
export const logProgress = (log: Log, attemptId: string, progress: CallProgress): void => {
  const codec = progress.kind === 'answered' ? { codec: progress.codec } : {};
  log.info({ attemptId, kind: progress.kind, ...codec }, `call ${progress.kind}`);
};
