import { allSettled } from '../domain/all-settled.ts';
import { AppError } from '../domain/app-error.ts';
import type { BlastRequest } from '../domain/blast.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { askedOnce } from './asked-once.ts';
import { cannotCallNow } from './blast-refusals.ts';
import type { DialerHandle } from './dialer-handle.ts';
import { batchesAtOnce, gather } from './gather.ts';
import { type JudgedBlast, type JudgeOptions, judgeBlast } from './judge-blast.ts';
import { isStoreFailure } from './store-failure.ts';

export interface AcceptBlastOptions extends JudgeOptions {
  readonly store: Store;
  readonly dialer: Pick<DialerHandle, 'wake'> & JudgeOptions['dialer'];
}

export interface AcceptedBlast {
  readonly blastId: string;
  /** True if the request had been accepted before under the same idempotency key: no second call is placed. */
  readonly replayed: boolean;
}

export type AcceptBlast = (request: BlastRequest) => Promise<AcceptedBlast>;

/**
 * Judges blasts and commits them with their calls, those that come together in one transaction; the dialer wakes after
 * the commit. Throws what `judgeBlast` throws, and `cannot_call_now` if the store fails.
 */
export const createAcceptBlast = (options: AcceptBlastOptions): AcceptBlast => {
  const acceptGathered = gather(
    (requests: readonly BlastRequest[]) => options.store.transact((tx) => acceptAll(tx, requests, options)),
    ({ idempotencyKey }) => idempotencyKey,
    batchesAtOnce(options.store),
  );
  return async (request) => {
    const verdict = await acceptGathered(request).catch(refusalOf);
    if (verdict instanceof AppError) throw verdict;
    if (!verdict.replayed) options.dialer.wake();
    return verdict;
  };
};

const refusalOf = (error: unknown): AppError => {
  if (isStoreFailure(error)) return cannotCallNow('The blast cannot be stored at this time.', error);
  throw error;
};

/** What becomes of each request: one that is refused leaves the others alone. */
const acceptAll = async (
  tx: Transaction,
  requests: readonly BlastRequest[],
  options: JudgeOptions,
): Promise<readonly (AcceptedBlast | AppError)[]> => {
  const batch = { views: askedOnce(tx), calls: 0 };
  const judged = await allSettled(requests.map((request) => judgeBlast(batch, request, options).catch(asVerdict)));
  const blasts = judged.flatMap((verdict) => (verdict instanceof AppError ? [] : (verdict.blast ?? [])));
  if (blasts.length > 0) await tx.insertBlast(...blasts);
  await allSettled(requests.map((request, at) => remember(tx, request, judged[at])));
  return judged.map((verdict) =>
    verdict instanceof AppError ? verdict : { blastId: verdict.blastId, replayed: verdict.blast === null },
  );
};

const asVerdict = (error: unknown): AppError => {
  if (error instanceof AppError && !isStoreFailure(error)) return error;
  throw error;
};

const remember = async (
  tx: Transaction,
  { idempotencyKey }: BlastRequest,
  verdict: JudgedBlast | AppError | undefined,
): Promise<void> => {
  if (idempotencyKey === null || verdict === undefined || verdict instanceof AppError || verdict.blast === null) return;
  const { applicationId, blastId, requestDigest } = verdict;
  await tx.rememberBlast(applicationId, idempotencyKey, { blastId, requestDigest });
};
