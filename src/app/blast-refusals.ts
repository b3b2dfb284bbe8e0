import { AppError } from '../domain/app-error.ts';

export const notAssociated = (): AppError =>
  new AppError(
    'not_associated',
    'The application key is not valid, or its application is not associated with the network id.',
  );

export const idempotencyConflict = (): AppError =>
  new AppError('idempotency_conflict', 'This Idempotency-Key was used before with another request: use a new one.');

export const cannotCallNow = (sentence: string, cause?: unknown): AppError =>
  new AppError('cannot_call_now', sentence, cause === undefined ? {} : { cause });
