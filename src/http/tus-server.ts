import { MemoryLocker, Server } from '@tus/server';
import type { FastifyRequest } from 'fastify';
import type { KeptClip } from '../app/keep-clip.ts';
import type { ResumableUploads } from '../app/resume-upload.ts';
import type { OpenScratchFile } from '../app/scratch-file.ts';
import type { RandomSource } from '../domain/ports.ts';
import { contentDigests } from './content-digest.ts';
import type { ExpectedDigest } from './digest-check.ts';
import { uploadChecksums } from './tus-checksum.ts';
import { TusDataStore } from './tus-data-store.ts';
import { refusalOfTus, tusRefusal } from './tus-refusal.ts';
import { rawOctets } from './upload-body.ts';
import type { UploadRoute } from './upload-path.ts';

export type TusRoute = UploadRoute & { Params: { upload?: string } };
export type TusRequest = FastifyRequest<TusRoute>;

export interface TusServerOptions {
  readonly openScratchFile: OpenScratchFile;
  readonly random: RandomSource;
  /** What absolute URLs begin with. */
  readonly base: string;
}

export interface TusAnswer {
  readonly response: Response;
  /** The clip, if this request sent the last octets of it. */
  readonly kept: KeptClip | null;
}

/** Speaks tus over the uploads of one grant. Throws refusals of ours and of the library, and `upload_cut`. */
export type SpeakTus = (request: TusRequest, uploads: ResumableUploads) => Promise<TusAnswer>;

/** How long a request that another one for the same upload pushes aside may still write what it has. */
const LOCK_DRAIN_MS = 500;

export const speaksTus = (request: FastifyRequest): boolean => request.headers['tus-resumable'] !== undefined;

/** `X-HTTP-Method-Override` is for clients that can send nothing but POST (tus 1.0, core protocol). */
export const methodOf = ({ method, headers, params }: TusRequest): string =>
  method === 'POST' && params.upload !== undefined ? String(headers['x-http-method-override']).toUpperCase() : method;

/**
 * `@tus/server` over our own store: a server of the library for each request, since what it may touch is what the
 * grant of the request allows; only the locks, by which requests for one upload push each other aside, are shared.
 */
export const createSpeakTus = (options: TusServerOptions): SpeakTus => {
  const locker = new MemoryLocker();
  return async (request, uploads) => {
    const { mediaid, token, upload = options.random.hex(16) } = request.params;
    const datastore = new TusDataStore({ uploads, digests: digestsOf(request), ...options });
    const outcome: { kept: KeptClip | null; failure: unknown } = { kept: null, failure: null };
    const server = new Server({
      path: '/',
      datastore,
      locker,
      lockDrainTimeout: LOCK_DRAIN_MS,
      namingFunction: () => upload,
      getFileIdFromRequest: () => upload,
      generateUrl: () => `${options.base}/api/rest/media/${mediaid}/${token}/${upload}`,
      async onUploadFinish() {
        outcome.kept = await uploads.finish(upload);
        return {};
      },
      onResponseError(_request, error) {
        outcome.failure = error;
        return undefined;
      },
    });
    const body = bodyOf(request);
    const response = await server.handleWeb(webRequestOf(request, body.octets));
    const failure = body.cut() ?? outcome.failure;
    if (failure !== null) throw tusRefusal(failure);
    if (response.status >= 400) throw refusalOfTus(response.status, await response.text());
    return { response, kept: outcome.kept };
  };
};

const digestsOf = ({ headers }: TusRequest): readonly ExpectedDigest[] => [
  ...uploadChecksums([headers['upload-checksum'] ?? []].flat()[0]),
  ...contentDigests(headers),
];

/** The body until it ends or its line is cut: what has arrived by then is kept. */
const bodyOf = (request: TusRequest): { octets: AsyncIterable<Uint8Array>; cut: () => unknown } => {
  let cut: unknown = null;
  async function* untilCut(): AsyncGenerator<Uint8Array> {
    try {
      yield* rawOctets(request);
    } catch (error) {
      cut = error;
    }
  }
  return { octets: untilCut(), cut: () => cut };
};

/** The address is nobody's: neither `Host` nor the path is the library's business. */
const webRequestOf = (request: TusRequest, octets: AsyncIterable<Uint8Array>): Request => {
  const method = methodOf(request);
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  const body = method === 'POST' || method === 'PATCH' ? { body: ReadableStream.from(octets), duplex: 'half' } : {};
  return new Request('http://ringcast.invalid/', { method, headers, ...body } as RequestInit);
};
