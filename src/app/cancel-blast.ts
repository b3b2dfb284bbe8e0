import { AppError } from '../domain/app-error.ts';
import type { BlastView } from '../domain/blast.ts';
import type { Metrics } from '../domain/metrics.ts';
import type { Log } from '../domain/ports.ts';
import type { CancelledBlast, Store, Transaction } from '../domain/store-port.ts';
import type { DialerHandle } from './dialer-handle.ts';

export interface CancelBlastOptions {
  readonly store: Store;
  readonly dialer: Pick<DialerHandle, 'cancel'>;
  readonly metrics: Pick<Metrics, 'noteEndedUndialled'>;
  readonly log: Log;
}

export type CancelBlast = (blastId: string, applicationId: string) => Promise<BlastView>;

/**
 * Ends what still waits of a blast, then its calls in progress by CANCEL or BYE; those of other nodes follow within a
 * second or so. Throws `not_found` for an unknown or foreign blast and `already_finished`.
 */
export const createCancelBlast =
  ({ store, metrics, dialer, log }: CancelBlastOptions): CancelBlast =>
  async (blastId, applicationId) => {
    const { attemptIds, endedCalls } = await store.transact((tx) => cancel(tx, blastId, applicationId));
    log.info({ blastId }, 'blast cancelled');
    metrics.noteEndedUndialled('cancelled', endedCalls);
    dialer.cancel(attemptIds);
    const blast = await store.view((views) => views.findBlast(blastId, applicationId));
    if (!blast) throw notFound(blastId);
    return blast;
  };

const cancel = async (tx: Transaction, blastId: string, applicationId: string): Promise<CancelledBlast> => {
  if (!(await tx.isBlastOf(blastId, applicationId))) throw notFound(blastId);
  const cancelled = await tx.cancelBlast(blastId);
  if (!cancelled) throw new AppError('already_finished', 'The blast has finished and cannot be cancelled any more.');
  return cancelled;
};

const notFound = (blastId: string): AppError => new AppError('not_found', `There is no blast ${blastId}.`);
