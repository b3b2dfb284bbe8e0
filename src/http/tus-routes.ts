import { Metadata } from '@tus/server';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { findFinishedUpload, type GrantClaim } from '../app/claim-grant.ts';
import type { ResumeUpload } from '../app/resume-upload.ts';
import type { Log } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { refusalOfTus } from './tus-refusal.ts';
import { methodOf, type SpeakTus, speaksTus, type TusRequest, type TusRoute } from './tus-server.ts';
import { answerOptions, TUS_VERSION } from './upload-cors.ts';
import { claimOf, UPLOAD_PATH } from './upload-path.ts';

export interface TusOptions {
  readonly store: Store;
  readonly resumeUpload: ResumeUpload;
  readonly speakTus: SpeakTus;
  readonly log: Log;
}

export type HandleTus = (request: TusRequest, reply: FastifyReply) => Promise<void>;

const METHODS = ['POST', 'HEAD', 'PATCH', 'DELETE'];

/** Resumable uploads on their way, each at the place that its creation gave. To be added beside `uploadRoutes`. */
export const tusRoutes = (app: FastifyInstance, handleTus: HandleTus, maxUploadBytes: number): void => {
  const url = `${UPLOAD_PATH}/:upload([0-9a-f]{32})`;
  app.route<TusRoute>({
    method: METHODS,
    url,
    schema: SCHEMA,
    validatorCompiler: () => () => true,
    handler: (request, reply) => (isTus(request) ? handleTus(request, reply) : void reply.callNotFound()),
  });
  app.options(url, { schema: { hide: true } }, async (_request, reply) =>
    answerOptions(reply, METHODS.join(', '), maxUploadBytes),
  );
};

/** Whether a request speaks tus with a method that an upload has. */
const isTus = (request: TusRequest): boolean =>
  speaksTus(request) && ['HEAD', 'PATCH', 'DELETE'].includes(methodOf(request));

/** Answers one request of tus 1.0: the grant is looked at first, then the protocol is spoken. */
export const createHandleTus =
  ({ store, resumeUpload, speakTus, log }: TusOptions): HandleTus =>
  async (request, reply) => {
    reply.header('tus-resumable', TUS_VERSION);
    const claim = claimOf(request);
    if (methodOf(request) === 'HEAD' && (await answerFinished(store, claim, request, reply))) return;
    const uploads = await resumeUpload({ ...claim, grantIds: [...claim.grantIds, ...grantIdsIn(request)] });
    refuseOtherProtocols(request, reply);
    const { response, kept } = await speakTus(request, uploads);
    if (kept) log.info({ mediaId: kept.mediaId, bytes: kept.originalBytes }, 'upload committed');
    else if (methodOf(request) !== 'DELETE') {
      reply.header('upload-expires', new Date(uploads.expiresAt).toUTCString());
    }
    for (const name of PASSED_ON) {
      const value = response.headers.get(name);
      if (value !== null) reply.header(name, value);
    }
    reply.code(response.status).send();
  };

/** A client whose last answer was lost asks how far it is: it is done, though its grant is spent. */
const answerFinished = async (
  store: Store,
  claim: GrantClaim,
  request: TusRequest,
  reply: FastifyReply,
): Promise<boolean> => {
  const finished = await findFinishedUpload(store, claim, request.params.upload ?? '');
  if (!finished) return false;
  refuseOtherProtocols(request, reply);
  const { bytes, expiresAt } = finished;
  reply.headers({
    'upload-offset': bytes,
    'upload-length': bytes,
    'upload-expires': new Date(expiresAt).toUTCString(),
  });
  reply.code(200).send();
  return true;
};

const refuseOtherProtocols = (request: TusRequest, reply: FastifyReply): void => {
  if (request.headers['tus-resumable'] !== TUS_VERSION) {
    reply.header('tus-version', TUS_VERSION);
    throw refusalOfTus(412, `This server speaks version ${TUS_VERSION} of tus`);
  }
  if (methodOf(request) === 'PATCH' && request.headers['content-type'] !== PART_TYPE) {
    throw refusalOfTus(415, `The Content-Type of PATCH must be ${PART_TYPE}`);
  }
};

const PART_TYPE = 'application/offset+octet-stream';

const PASSED_ON = ['location', 'upload-offset', 'upload-length', 'upload-metadata'];

/** A grant id among the metadata of the file: what is no metadata is refused later. */
const grantIdsIn = ({ headers }: TusRequest): readonly string[] => {
  try {
    const text = [headers['upload-metadata'] ?? []].flat()[0];
    return text === undefined ? [] : [Metadata.parse(text).grantid ?? []].flat();
  } catch {
    return [];
  }
};

const SCHEMA = {
  summary: 'A resumable upload on its way (tus 1.0): HEAD asks how far it is, PATCH goes on, DELETE ends it',
  description: 'Begun by a POST with Tus-Resumable to the grant; only for requests with Tus-Resumable.',
  tags: ['media interface'],
  security: [],
  params: Type.Object({ mediaid: Type.String(), token: Type.String(), upload: Type.String() }),
};
