import { AppError } from '../domain/app-error.ts';
import type { Application, Caller } from '../domain/application.ts';
import type { BlastRequest, NewBlast } from '../domain/blast.ts';
import type { RandomSource, RouteHealth } from '../domain/ports.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import type { DialerHandle } from './dialer-handle.ts';
import { playlistOf } from './playlist.ts';
import { isStoreFailure } from './store-failure.ts';
import { timeOrderedId } from './time-ordered-id.ts';

export interface AcceptBlastOptions {
  readonly store: Store;
  readonly dialer: Pick<DialerHandle, 'wake' | 'isDraining'>;
  readonly routeHealth: Pick<RouteHealth, 'isCallable'>;
  readonly random: RandomSource;
  /** SHA-256 in hex. */
  readonly sha256: (text: string) => string;
  readonly builtInFrameCount: number;
  /** Calls accepted and not yet dialled, at most. */
  readonly maxWaitingCalls: number;
}

export interface AcceptedBlast {
  readonly blastId: string;
  /** True if the request had been accepted before under the same idempotency key: no second call is placed. */
  readonly replayed: boolean;
}

export type AcceptBlast = (request: BlastRequest) => Promise<AcceptedBlast>;

/**
 * Judges a blast and commits it with its calls, all in one transaction; the dialer wakes after the commit.
 * Throws `not_associated`, `idempotency_conflict`, `no_such_media`, `cannot_call_now`, in this order.
 */
export const createAcceptBlast =
  (options: AcceptBlastOptions): AcceptBlast =>
  async (request) => {
    const accepted = await committed(options.store, (tx) => accept(tx, request, options));
    if (!accepted.replayed) options.dialer.wake();
    return accepted;
  };

const committed = async <T>(store: Store, work: (tx: Transaction) => Promise<T>): Promise<T> => {
  try {
    return await store.transact(work);
  } catch (error) {
    if (isStoreFailure(error)) throw cannotCallNow('The blast cannot be stored at this time.', error);
    throw error;
  }
};

const accept = async (tx: Transaction, request: BlastRequest, options: AcceptBlastOptions): Promise<AcceptedBlast> => {
  const { idempotencyKey: key, networkId } = request;
  const caller = await tx.findCaller(request.appKey);
  // Asked for an unknown key too, so that every kind of outsider costs the same work.
  const associated = await tx.isAssociated(networkId, caller?.applicationId ?? null);
  const remembered = key === null ? null : await tx.recallBlast(caller?.applicationId ?? '', key);
  const requestDigest = key === null ? '' : digestOf(request, options.sha256);
  if (caller && remembered?.requestDigest === requestDigest) return { blastId: remembered.blastId, replayed: true };
  if (!caller || !associated) throw notAssociated();
  if (remembered) throw conflict();
  const blast = await judge(tx, request, caller, options);
  await tx.insertBlast(blast);
  if (key !== null) await tx.rememberBlast(caller.applicationId, key, { blastId: blast.id, requestDigest });
  return { blastId: blast.id, replayed: false };
};

/** Media and greeting first, then limits and ability to call: an insider's mistake is told before our own trouble. */
const judge = async (
  tx: Transaction,
  request: BlastRequest,
  caller: Caller,
  options: AcceptBlastOptions,
): Promise<NewBlast> => {
  const application = await applicationOf(tx, caller);
  const playlist = await playlistOf(tx, request, application, options.builtInFrameCount);
  await refuseIfUnable(tx, request.networkId, options);
  return {
    id: await timeOrderedId(tx, options.random),
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

const applicationOf = async (tx: Transaction, caller: Caller): Promise<Application> => {
  const application = await tx.findApplication(caller.applicationId);
  if (!application) throw notAssociated();
  return application;
};

const refuseIfUnable = async (tx: Transaction, networkId: string, options: AcceptBlastOptions): Promise<void> => {
  if (options.dialer.isDraining()) throw cannotCallNow('The server is stopping and takes no new calls.');
  const routes = await tx.findRoutes(networkId);
  if (!routes) throw notAssociated();
  if (routes.destinationCount === 0) throw cannotCallNow('The network has no destinations yet.');
  if ((await tx.countWaiting()) + routes.destinationCount > options.maxWaitingCalls) {
    throw cannotCallNow('Too many calls are waiting to be dialled.');
  }
  if (!options.routeHealth.isCallable(routes)) throw cannotCallNow('No way to call this network is up at this time.');
};

const digestOf = (request: BlastRequest, sha256: (text: string) => string): string =>
  sha256(JSON.stringify([request.mediaIds.join('-'), request.networkId, request.greetingId]));

const notAssociated = (): AppError =>
  new AppError(
    'not_associated',
    'The application key is not valid, or its application is not associated with the network id.',
  );

const conflict = (): AppError =>
  new AppError('idempotency_conflict', 'This Idempotency-Key was used before with another request: use a new one.');

const cannotCallNow = (sentence: string, cause?: unknown): AppError =>
  new AppError('cannot_call_now', sentence, cause === undefined ? {} : { cause });
