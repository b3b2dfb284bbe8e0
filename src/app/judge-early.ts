import { HEAD_BYTES, tooLong } from '../domain/media.ts';
import type { JudgeHead } from '../domain/ports.ts';
import { joined } from './in-parts.ts';

export interface JudgeEarlyOptions {
  readonly judgeHead: JudgeHead;
  readonly maxClipSeconds: number;
}

/** What had arrived of a file before: its first octets, and how many there were in all. */
export interface Arrived {
  readonly head: Uint8Array;
  readonly bytes: number;
}

const NOTHING: Arrived = { head: new Uint8Array(), bytes: 0 };

/**
 * Hands on the octets of a file as they arrive, until they show that it will be refused. Throws `not_audio`,
 * `upload_too_long`; a file that ends before its head is whole is left to be judged as a whole.
 */
export async function* judgedEarly(
  octets: AsyncIterable<Uint8Array>,
  { judgeHead, maxClipSeconds }: JudgeEarlyOptions,
  arrived: Arrived = NOTHING,
): AsyncGenerator<Uint8Array> {
  const head = [arrived.head];
  let missingBytes = HEAD_BYTES - arrived.head.length;
  let { bytes } = arrived;
  let mostBytes: number | null = null;
  for await (const chunk of octets) {
    bytes += chunk.length;
    if (mostBytes === null) {
      head.push(chunk);
      missingBytes -= chunk.length;
      if (missingBytes <= 0) mostBytes = await judgeHead(joined(head), { maxSeconds: maxClipSeconds });
    }
    if (mostBytes !== null && bytes > mostBytes) throw tooLong(maxClipSeconds);
    yield chunk;
  }
}
