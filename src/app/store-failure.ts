import { AppError } from '../domain/app-error.ts';
import type { WakeAfter } from '../domain/ports.ts';

/** Whether the store itself failed (gone, full), rather than the request. */
export const isStoreFailure = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'store_unavailable' || error.code === 'disk_full');

export const STORE_RETRY_MS = 1000;

/** Resolves when a store that failed is to be tried again. */
export const storeRetry = (wakeAfter: WakeAfter): Promise<void> =>
  new Promise((resolve) => void wakeAfter(STORE_RETRY_MS, resolve));
