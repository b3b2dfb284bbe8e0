import { AppError } from '../domain/app-error.ts';
import type { RefusalCode } from '../domain/metrics.ts';

/** Why `error` refused. */
export const refusalCodeOf = (error: unknown): RefusalCode => (error instanceof AppError ? error.code : 'other');

/** Runs `work` and tells `note` how it ended: `success`, or why it was refused. */
export const noteResult = async <S extends string, T>(
  note: (result: S | RefusalCode) => void,
  success: S,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    const value = await work();
    note(success);
    return value;
  } catch (error) {
    note(refusalCodeOf(error));
    throw error;
  }
};
