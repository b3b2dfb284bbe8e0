import type { IncomingMessage } from 'node:http';
import { AppError } from '../domain/app-error.ts';

/**
 * What `pieces` gives, until the line of `request` breaks: then throws `upload_cut`. A body parser that was started
 * after the line broke, or that misses the break, would otherwise be waited for without end, and hold its grant.
 */
export async function* untilLineBreaks<T>(request: IncomingMessage, pieces: AsyncIterable<T>): AsyncGenerator<T> {
  const broken = Promise.withResolvers<never>();
  // Nobody waits for it between two pieces.
  broken.promise.catch(() => undefined);
  const onClose = (): void => {
    if (!request.complete) broken.reject(lineCut());
  };
  request.once('close', onClose);
  if (request.destroyed) onClose();
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([broken.promise, iterator.next()]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    request.off('close', onClose);
    // Not waited for: a parser that missed the break never returns.
    iterator.return?.()?.catch(() => undefined);
  }
}

const lineCut = (): AppError => new AppError('upload_cut', 'The line broke before the whole body was there.');
