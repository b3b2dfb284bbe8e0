import type { CallProgress } from '../domain/ports.ts';
import type { Transaction } from '../domain/store-port.ts';

/** Notes how far an attempt has come. */
export const recordProgress = (tx: Transaction, attemptId: string, progress: CallProgress): Promise<void> => {
  if (progress.kind === 'ringing') return tx.recordRinging(attemptId, progress.dialog);
  if (progress.kind === 'answered') return tx.recordAnswered(attemptId, progress.codec, progress.dialog);
  return tx.recordDigit(attemptId, progress.digit);
};
