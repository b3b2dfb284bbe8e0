import { AppError } from '../domain/app-error.ts';

/** What `@tus/server` throws: an object that is not always an Error. */
interface TusError {
  readonly status_code: number;
  readonly body: string;
}

/** Statuses of the library that RFC 9110 gives another meaning, or that are no fault of this server. */
const STATUS: Readonly<Record<number, number>> = { 403: 400, 501: 400 };

/** A refusal of the library as an error that the one place for refusals understands. */
export const tusRefusal = (failure: unknown): Error => {
  if (failure instanceof AppError) return failure;
  const { status_code, body } = failure as Partial<TusError>;
  if (status_code !== undefined && body !== undefined) return refusalOfTus(status_code, body);
  return failure instanceof Error ? failure : new Error('tus failed', { cause: failure });
};

/** A refusal as the library answers it. */
export const refusalOfTus = (status: number, body: string): Error =>
  Object.assign(new Error(sentenceOf(body)), { statusCode: STATUS[status] ?? status });

const sentenceOf = (body: string): string => body.charAt(0).toUpperCase() + body.slice(1).trim();
