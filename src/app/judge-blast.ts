import type { Application, Caller } from '../domain/application.ts';
import type { BlastRequest, NewBlast } from '../domain/blast.ts';
import type { RandomSource, RouteHealth } from '../domain/ports.ts';
import type { BlastQuestions } from './asked-once.ts';
import { cannotCallNow, idempotencyConflict, notAssociated } from './blast-refusals.ts';
import type { DialerHandle } from './dialer-handle.ts';
import { judgeOverload } from './judge-overload.ts';
import { playlistOf } from './playlist.ts';
import { timeOrderedId } from './time-ordered-id.ts';

export interface JudgeOptions {
  readonly dialer: Pick<DialerHandle, 'isDraining' | 'callsPerMinuteOverloaded'>;
  readonly routeHealth: Pick<RouteHealth, 'isCallable'>;
  readonly random: RandomSource;
  /** SHA-256 in hex. */
  readonly sha256: (text: string) => string;
  readonly builtInFrameCount: number;
  /** Calls accepted and not yet dialled, at most. */
  readonly maxWaitingCalls: number;
}

/** Requests that are judged together, in one unit of work. */
export interface Batch {
  readonly views: BlastQuestions;
  /** Calls of those that were found good so far. */
  calls: number;
}

export interface JudgedBlast {
  readonly blastId: string;
  /** What is to be committed; null if the request was accepted before under the same idempotency key. */
  readonly blast: NewBlast | null;
  readonly applicationId: string;
  readonly requestDigest: string;
}

/** Throws `not_associated`, `idempotency_conflict`, `no_such_media`, `cannot_call_now`, in this order. */
export const judgeBlast = async (batch: Batch, request: BlastRequest, options: JudgeOptions): Promise<JudgedBlast> => {
  const { views } = batch;
  const { idempotencyKey: key, networkId } = request;
  const caller = await views.findCaller(request.appKey);
  const applicationId = caller?.applicationId ?? '';
  // Asked for an unknown key too, so that every kind of outsider costs the same work.
  const associated = await views.isAssociated(networkId, caller?.applicationId ?? null);
  const remembered = key === null ? null : await views.recallBlast(applicationId, key);
  const requestDigest = key === null ? '' : digestOf(request, options.sha256);
  if (caller && remembered?.requestDigest === requestDigest)
    return { blastId: remembered.blastId, blast: null, applicationId, requestDigest };
  if (!caller || !associated) throw notAssociated();
  if (remembered) throw idempotencyConflict();
  const blast = await blastOf(batch, request, caller, options);
  return { blastId: blast.id, blast, applicationId, requestDigest };
};

/** Media and greeting first, then limits and ability to call: an insider's mistake is told before our own trouble. */
const blastOf = async (
  batch: Batch,
  request: BlastRequest,
  caller: Caller,
  options: JudgeOptions,
): Promise<NewBlast> => {
  const { views } = batch;
  const application = await applicationOf(views, caller);
  const playlist = await playlistOf(views, request, application, options.builtInFrameCount);
  await takeRoom(batch, request.networkId, application, options);
  return {
    id: await timeOrderedId(views, options.random),
    applicationId: application.id,
    networkId: request.networkId,
    mediaIds: request.mediaIds,
    greetingId: request.greetingId,
    playlist,
    retry: application.retry,
    silences: application.silences,
    dialWithinMs: application.dialBySeconds * 1000,
  };
};

const applicationOf = async (views: BlastQuestions, caller: Caller): Promise<Application> => {
  const application = await views.findApplication(caller.applicationId);
  if (!application) throw notAssociated();
  return application;
};

/** Takes room among the waiting calls, or refuses. */
const takeRoom = async (
  batch: Batch,
  networkId: string,
  application: Application,
  options: JudgeOptions,
): Promise<void> => {
  if (options.dialer.isDraining()) throw cannotCallNow('The server is stopping and takes no new calls.');
  const routes = await batch.views.findRoutes(networkId);
  if (!routes) throw notAssociated();
  const calls = routes.destinationCount;
  if (calls === 0) throw cannotCallNow('The network has no destinations yet.');
  const waiting = await batch.views.countWaiting();
  await judgeOverload(batch.views, { application, trunkIds: routes.trunkIds, calls, waiting }, options.dialer);
  // From here on nothing is waited for: blasts judged together find no more room than there is.
  if (waiting + batch.calls + calls > options.maxWaitingCalls)
    throw cannotCallNow('Too many calls are waiting to be dialled.');
  if (!options.routeHealth.isCallable(routes)) throw cannotCallNow('No way to call this network is up at this time.');
  batch.calls += calls;
};

const digestOf = (request: BlastRequest, sha256: (text: string) => string): string =>
  sha256(JSON.stringify([request.mediaIds.join('-'), request.networkId, request.greetingId]));
