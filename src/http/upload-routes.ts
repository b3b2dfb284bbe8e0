import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { KeptClip } from '../app/keep-clip.ts';
import type { IncomingUpload, ReceiveUpload } from '../app/receive-upload.ts';
import { AppError } from '../domain/app-error.ts';
import type { Log } from '../domain/ports.ts';
import { untilLineBreaks } from './cut-line.ts';
import { MediaResponse, mediaResponse } from './media-response.ts';
import { type HandleTus, tusRoutes } from './tus-routes.ts';
import { speaksTus } from './tus-server.ts';
import { declaredBytesOf, multipartPieces, putPieces } from './upload-body.ts';
import { allowAnyOrigin, answerOptions } from './upload-cors.ts';
import { claimOf, UPLOAD_PATH, type UploadRoute } from './upload-path.ts';
import { createUploadPlaces } from './upload-places.ts';

export interface UploadRoutesOptions {
  readonly receiveUpload: ReceiveUpload;
  readonly handleTus: HandleTus;
  readonly base: string;
  readonly maxUploadBytes: number;
  readonly log: Log;
}

/** Where a grant is used. The token in the path is the capability; the file is never given out here. */
export const uploadRoutes =
  (options: UploadRoutesOptions) =>
  async (app: FastifyInstance): Promise<void> => {
    const inPlace = createUploadPlaces();
    const guarded = (handle: HandleTus): HandleTus =>
      logged(options.log, (request, reply) => inPlace(() => handle(request, reply)));
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
      handler: guarded((request, reply) =>
        request.method === 'POST' && speaksTus(request)
          ? options.handleTus(request, reply)
          : receive(request, reply, options),
      ),
    });
    app.options(UPLOAD_PATH, { schema: { hide: true } }, async (_request, reply) =>
      answerOptions(reply, METHODS, options.maxUploadBytes),
    );
    tusRoutes(app, guarded(options.handleTus), options.maxUploadBytes);
  };

const METHODS = 'PUT, POST';

/** What the octets say counts: a strange declared type must not be refused by the framework first. */
const ignoreDeclaredType = (request: FastifyRequest): void => {
  if (speaksTus(request)) return;
  const isForm = request.method === 'POST' && /^multipart\/form-data *;/i.test(request.headers['content-type'] ?? '');
  if (!isForm) delete request.raw.headers['content-type'];
};

const logged =
  (log: Log, handle: HandleTus): HandleTus =>
  async (request, reply) => {
    try {
      await handle(request, reply);
    } catch (error) {
      const code = error instanceof AppError ? error.code : ((error as { statusCode?: number }).statusCode ?? 500);
      log.info({ mediaId: request.params.mediaid, code }, 'upload refused');
      throw error;
    }
  };

const receive = async (
  request: FastifyRequest<UploadRoute>,
  reply: FastifyReply,
  { receiveUpload, base, log }: UploadRoutesOptions,
): Promise<void> => {
  const clip = await receiveUpload(claimOf(request), uploadOf(request));
  log.info({ mediaId: clip.mediaId, bytes: clip.originalBytes }, 'upload committed');
  reply.code(201).send(answerOf(clip, base));
};

const uploadOf = (request: FastifyRequest): IncomingUpload => {
  const isForm = request.method === 'POST';
  const pieces = isForm ? multipartPieces(request) : putPieces(request);
  return {
    declaredBytes: declaredBytesOf(request, isForm),
    pieces: untilLineBreaks(request.raw, pieces),
    uploadId: null,
  };
};

const answerOf = ({ mediaId, originalBytes }: KeptClip, base: string): MediaResponse =>
  mediaResponse(201, '', {
    downloadUrl: `${base}/api/v1/media/${mediaId}/audio`,
    fileSize: originalBytes,
    mediaId,
    uri: `/api/rest/media/${mediaId}`,
  });

const answer = (description: string) => ({ ...MediaResponse, description });

const SCHEMA = {
  summary: 'Use an upload grant: PUT the file, POST it as multipart/form-data, or begin a resumable upload (tus 1.0)',
  tags: ['media interface'],
  security: [],
  consumes: ['application/octet-stream', 'multipart/form-data'],
  params: Type.Object({ mediaid: Type.String(), token: Type.String() }),
  querystring: Type.Object({ grantid: Type.Optional(Type.String({ description: 'Must match if sent' })) }),
  headers: Type.Object({ 'upload-grant': Type.Optional(Type.String({ description: 'Grant id; must match if sent' })) }),
  response: {
    201: answer('The clip is decoded, checked and committed'),
    400: answer('No file, an empty file, several files, a body cut short, or not of the digest announced'),
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
