import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { GrantClaim } from '../app/claim-grant.ts';
import type { KeptClip } from '../app/keep-clip.ts';
import type { IncomingUpload, ReceiveUpload } from '../app/receive-upload.ts';
import { AppError } from '../domain/app-error.ts';
import type { Log } from '../domain/ports.ts';
import { untilLineBreaks } from './cut-line.ts';
import { MediaResponse, mediaResponse } from './media-response.ts';
import { declaredBytesOf, multipartPieces, putPieces } from './upload-body.ts';

export interface UploadRoutesOptions {
  readonly receiveUpload: ReceiveUpload;
  readonly base: string;
  readonly log: Log;
}

interface UploadRoute {
  Params: { mediaid: string; token: string };
  Querystring: { grantid?: string | string[] };
}

/** Where a grant is used. The token in the path is the capability; the file is never given out here. */
export const uploadRoutes =
  (options: UploadRoutesOptions) =>
  async (app: FastifyInstance): Promise<void> => {
    await app.register(multipart);
    // The body is read by the handler, once the grant is claimed.
    app.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    app.addHook('onRequest', (request, reply, done) => {
      allowAnyOrigin(reply);
      ignoreDeclaredType(request);
      done();
    });
    app.route<UploadRoute>({
      method: ['PUT', 'POST'],
      url: UPLOAD_PATH,
      schema: SCHEMA,
      validatorCompiler: () => () => true,
      handler: (request, reply) => receive(request, reply, options),
    });
    app.options(UPLOAD_PATH, { schema: { hide: true } }, answerPreflight);
  };

const UPLOAD_PATH = '/api/rest/media/:mediaid/:token';

/** Cross-origin uploads from browsers, on this path alone. No cookie or key is involved, so any origin will do. */
const allowAnyOrigin = (reply: FastifyReply): void => {
  reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', 'Retry-After');
};

const answerPreflight = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply
    .code(204)
    .headers({
      allow: 'PUT, POST, OPTIONS',
      'access-control-allow-methods': 'PUT, POST',
      'access-control-allow-headers': '*',
      'access-control-max-age': '7200',
    })
    .send();
};

/** What the octets say counts: a strange declared type must not be refused by the framework first. */
const ignoreDeclaredType = (request: FastifyRequest): void => {
  const isForm = request.method === 'POST' && /^multipart\/form-data *;/i.test(request.headers['content-type'] ?? '');
  if (!isForm) delete request.raw.headers['content-type'];
};

const receive = async (
  request: FastifyRequest<UploadRoute>,
  reply: FastifyReply,
  { receiveUpload, base, log }: UploadRoutesOptions,
): Promise<void> => {
  if (request.headers['tus-resumable'] !== undefined) throw noTus();
  const clip = await receiveUpload(claimOf(request), uploadOf(request)).catch((error: unknown) => {
    const code = error instanceof AppError ? error.code : 'internal_error';
    log.info({ mediaId: request.params.mediaid, code }, 'upload refused');
    throw error;
  });
  log.info({ mediaId: clip.mediaId, bytes: clip.originalBytes }, 'upload committed');
  reply.code(201).send(answerOf(clip, base));
};

const claimOf = ({ params, query, headers }: FastifyRequest<UploadRoute>): GrantClaim => ({
  mediaId: params.mediaid,
  token: params.token,
  grantIds: [query.grantid ?? [], headers['upload-grant'] ?? []].flat(),
});

const uploadOf = (request: FastifyRequest): IncomingUpload => {
  const isForm = request.method === 'POST';
  const pieces = isForm ? multipartPieces(request) : putPieces(request);
  return { declaredBytes: declaredBytesOf(request, isForm), pieces: untilLineBreaks(request.raw, pieces) };
};

const answerOf = ({ mediaId, originalBytes }: KeptClip, base: string): MediaResponse =>
  mediaResponse(201, '', {
    downloadUrl: `${base}/api/v1/media/${mediaId}/audio`,
    fileSize: originalBytes,
    mediaId,
    uri: `/api/rest/media/${mediaId}`,
  });

const noTus = (): AppError =>
  new AppError('invalid_parameter', 'Resumable uploads (tus) are not in this version: PUT the file, or POST a form.');

const answer = (description: string) => ({ ...MediaResponse, description });

const SCHEMA = {
  summary: 'Use an upload grant: PUT the file, or POST it as multipart/form-data',
  tags: ['media interface'],
  security: [],
  consumes: ['application/octet-stream', 'multipart/form-data'],
  params: Type.Object({ mediaid: Type.String(), token: Type.String() }),
  querystring: Type.Object({ grantid: Type.Optional(Type.String({ description: 'Must match if sent' })) }),
  headers: Type.Object({ 'upload-grant': Type.Optional(Type.String({ description: 'Grant id; must match if sent' })) }),
  response: {
    201: answer('The clip is decoded, checked and committed'),
    400: answer('No file, an empty file, several files, or a body cut short'),
    401: answer('The grant id sent is wrong, or the application or its key was revoked'),
    404: answer('No such grant for this media id'),
    409: answer('Another upload holds this grant right now'),
    410: answer('The grant is spent, expired or revoked'),
    413: answer('Too many octets or seconds'),
    415: answer('Not audio that can be decoded'),
    429: answer('Too many failed tries with this grant'),
    503: answer('The store is gone for now'),
    507: answer('The disk is full'),
  },
};
