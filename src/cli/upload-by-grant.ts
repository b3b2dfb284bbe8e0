import { createReadStream, type ReadStream } from 'node:fs';
import { DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { noAnswer, saidBy } from './api-client.ts';
import { Failure, sentenceOf } from './failure.ts';
import { boundedHttpStack } from './tus-line.ts';
import type { UploadBar } from './upload-bar.ts';
import type { UploadMemory } from './upload-memory.ts';

/** Waits between tries, begun anew whenever a try got further: two minutes in all without an octet. */
const RETRY_DELAYS_MS: readonly number[] = [0, 1000, 3000, 5000, 10_000, 20_000, 20_000, 30_000, 30_000];

/** Sent in parts, so that a server behind a proxy that collects whole requests keeps what has arrived. */
const PART_BYTES = 4 * 1024 * 1024;

export interface UploadByGrant {
  /** Of the grant, absolute. Never repeated in a message: it holds the token. */
  readonly url: string;
  readonly file: string;
  readonly bar: UploadBar;
  readonly memory: UploadMemory;
  readonly retryDelaysMs?: readonly number[];
}

/** Uploads a file by tus 1.0 and goes on after a cut; resolves when the clip can be blasted. Throws a Failure. */
export const uploadByGrant = async ({
  url,
  file,
  bar,
  memory,
  retryDelaysMs = RETRY_DELAYS_MS,
}: UploadByGrant): Promise<void> => {
  const source = createReadStream(file);
  try {
    await run(
      source,
      {
        endpoint: url,
        // What is gone there is begun anew.
        uploadUrl: await memory.recall(),
        chunkSize: PART_BYTES,
        retryDelays: [...retryDelaysMs],
        httpStack: boundedHttpStack(),
        onProgress: bar.show,
        onShouldRetry: (error) => {
          const goesOn = mayPass(error);
          if (goesOn) bar.note('the line was cut or the server is busy; trying again');
          return goesOn;
        },
      },
      memory,
    );
    await memory.forget();
  } catch (error) {
    if (!(error instanceof DetailedError && mayPass(error))) await memory.forget();
    throw failureOf(new URL(url).origin, error);
  } finally {
    bar.end();
    source.destroy();
  }
};

const run = (source: ReadStream, options: UploadOptions, memory: UploadMemory): Promise<void> =>
  new Promise((resolve, reject) => {
    source.once('error', reject);
    // The library takes a stream of a file and reads it anew from anywhere; its types do not say so.
    const file = source as unknown as Buffer;
    let kept = Promise.resolve();
    const upload = new Upload(file, {
      ...options,
      onUploadUrlAvailable() {
        if (upload.url !== null) kept = memory.keep(upload.url);
      },
      onSuccess: () => void kept.then(resolve),
      onError: (error) => void kept.then(() => reject(error)),
    });
    upload.start();
  });

/** No answer, a server in trouble, and the offset or the grant still held by a request that was cut. */
const mayPass = ({ originalResponse }: DetailedError): boolean => {
  const status = originalResponse?.getStatus() ?? 0;
  return status === 0 || status === 409 || status >= 500;
};

const failureOf = (origin: string, error: unknown): Failure => {
  if (!(error instanceof DetailedError)) return new Failure(`the upload failed: ${sentenceOf(error)}.`);
  const { originalResponse: response, causingError } = error;
  if (response) return new Failure(`${saidBy(origin, response.getStatus(), response.getBody())}.`);
  return noAnswer(
    origin,
    causingError?.name === 'TimeoutError' ? causingError : new Error('cut', { cause: causingError }),
  );
};
