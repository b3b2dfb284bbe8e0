import { finished } from 'node:stream/promises';
import type { Multipart } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { UploadPiece } from '../app/receive-upload.ts';
import { AppError } from '../domain/app-error.ts';
import { contentDigests } from './content-digest.ts';
import { checked, startDigestCheck } from './digest-check.ts';
import { atMinimumRate } from './minimum-rate.ts';

/** Octets around the file in a multipart body that are taken at most: boundaries, part headers, small fields. */
const MULTIPART_OVERHEAD_BYTES = 64 * 1024;

/** Octets of the file that the headers announce, null if they do not. A multipart body is a little more than its file. */
export const declaredBytesOf = (request: FastifyRequest, isMultipart: boolean): number | null => {
  const length = request.headers['content-length'];
  if (length === undefined) return null;
  const bytes = Number(length);
  return isMultipart ? Math.max(1, bytes - MULTIPART_OVERHEAD_BYTES) : bytes;
};

/** The body as it is. Throws `upload_cut` if the line breaks. */
export async function* rawOctets(request: FastifyRequest): AsyncGenerator<Uint8Array> {
  try {
    // A refusal half-way must not destroy the line: the answer still goes over it.
    yield* atMinimumRate(request.raw.iterator({ destroyOnReturn: false }));
  } catch (error) {
    throw cut(error);
  }
  waitForIngest(request);
}

/** The body of a PUT: all of it is the file. */
export async function* putPieces(request: FastifyRequest): AsyncGenerator<UploadPiece> {
  if (request.headers['content-range'] !== undefined) {
    // RFC 9110 14.5: a part must not be taken for the whole.
    throw new AppError('invalid_parameter', 'A part of a file (Content-Range) is not taken: send the whole file.');
  }
  const digests = contentDigests(request.headers);
  for await (const octets of checked(rawOctets(request), digests)) yield { kind: 'octets', octets };
}

/** The one file part of a multipart form, and the grant ids among its fields. */
export async function* multipartPieces(request: FastifyRequest): AsyncGenerator<UploadPiece> {
  if (!request.isMultipart())
    throw new AppError('upload_empty', 'There is no file: PUT it, or POST multipart/form-data.');
  const check = checkWholeBody(request);
  let files = 0;
  for await (const part of partsOf(request)) {
    if (part.type === 'field') {
      if (part.fieldname === 'grantid') yield { kind: 'grant_id', grantId: String(part.value) };
      continue;
    }
    files += 1;
    if (files > 1) throw new AppError('invalid_parameter', 'The form holds several files: send exactly one.');
    for await (const octets of fileOf(part.file)) yield { kind: 'octets', octets };
  }
  if (files === 0) throw new AppError('upload_empty', 'The form holds no file part.');
  await check();
  waitForIngest(request);
}

/** Checks the digests announced for a form, which are of all of it, beside the parser that reads it. */
const checkWholeBody = (request: FastifyRequest): (() => Promise<void>) => {
  const digests = contentDigests(request.headers);
  if (digests.length === 0) return async () => undefined;
  const check = startDigestCheck(digests);
  request.raw.on('data', check.update);
  return async () => {
    // The parser lets go at the last boundary; what follows it counts too.
    if (!request.raw.readableEnded) await finished(request.raw.resume(), { writable: false }).catch(throwCut);
    check.verify();
  };
};

const throwCut = (error: unknown): never => {
  throw cut(error);
};

const LIMITS = {
  parts: 30,
  fields: 20,
  fieldNameSize: 100,
  fieldSize: 1024,
  // Octets of the file are counted where they are kept, for every kind of upload alike.
  fileSize: Number.POSITIVE_INFINITY,
};

async function* partsOf(request: FastifyRequest): AsyncGenerator<Multipart> {
  // Its octets are gone, even if all of them had come: the parser, started now, would wait for them without end.
  if (request.raw.destroyed) throw cut(request.raw.errored);
  try {
    yield* request.parts({ limits: LIMITS });
  } catch (error) {
    throw cut(error);
  }
}

async function* fileOf(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* atMinimumRate(file);
  } catch (error) {
    throw cut(error);
  }
}

/** The line is silent while the file is decoded; the idle time-out is back with the next request on it. */
const waitForIngest = (request: FastifyRequest): void => {
  request.raw.socket.setTimeout(0);
};

const cut = (cause: unknown): AppError =>
  cause instanceof AppError
    ? cause
    : new AppError('upload_cut', 'The body ended early, or is not what its Content-Type says.', { cause });
