import { AppError } from '../domain/app-error.ts';

/** A minute of grace, then what has come must be this many octets a second on average: a 2G modem sends more. */
const GRACE_MS = 60_000;
const LEAST_BYTES_PER_SECOND = 512;

/**
 * The same octets, until they come too slowly on the whole: throws `upload_cut`. Somebody who sends an octet now and
 * then must not hold a grant, a scratch file and a connection for half an hour. Who sends nothing is cut off elsewhere.
 */
export async function* atMinimumRate(
  octets: AsyncIterable<Uint8Array>,
  nowMs: () => number = () => performance.now(),
): AsyncGenerator<Uint8Array> {
  const startedMs = nowMs();
  let bytes = 0;
  for await (const chunk of octets) {
    bytes += chunk.length;
    const elapsedMs = nowMs() - startedMs;
    if (elapsedMs > GRACE_MS && bytes < (elapsedMs / 1000) * LEAST_BYTES_PER_SECOND) throw tooSlow();
    yield chunk;
  }
}

const tooSlow = (): AppError =>
  new AppError('upload_cut', `The body came slower than ${LEAST_BYTES_PER_SECOND} octets a second.`);
