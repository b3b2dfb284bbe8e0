import { AppError } from '../domain/app-error.ts';

/** Whether the store itself failed (gone, full), rather than the request. */
export const isStoreFailure = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'store_unavailable' || error.code === 'disk_full');
