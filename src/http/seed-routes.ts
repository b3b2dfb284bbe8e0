import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AcceptBlast, AcceptedBlast } from '../app/accept-blast.ts';
import type { IssueGrant } from '../app/issue-grant.ts';
import { noteResult, refusalCodeOf } from '../app/note-result.ts';
import { AppError } from '../domain/app-error.ts';
import type { Metrics } from '../domain/metrics.ts';
import type { Log } from '../domain/ports.ts';
import { headersOf, refusalOf } from './error-status.ts';
import { FORM_TYPE } from './form.ts';
import { type Envelope, MediaResponse, mediaResponse, UploadResponse, uploadResponse } from './media-response.ts';
import { ACTIONS, actionOf, blastRequestOf, grantRequestOf, type SeedRequest, seedForm } from './seed-request.ts';
import { logRefusal, sendRefused } from './server.ts';

export interface SeedRoutesOptions {
  readonly acceptBlast: AcceptBlast;
  readonly issueGrant: IssueGrant;
  /** What absolute URLs begin with. */
  readonly base: string;
  readonly metrics: Pick<Metrics, 'noteBlast' | 'noteGrant'>;
  readonly log: Log;
}

/** A credential of a scheme of its own: the key is a form field, no header (RFC 9110 11.6.1 asks for a challenge). */
export const APP_KEY_CHALLENGE = 'AppKey realm="ringcast"';

const MAX_FORM_BYTES = 64 * 1024;
const JSON_TYPE = 'application/json; charset=utf-8';

interface SeedRoute {
  Params: { mediaid?: string };
}

/** The blast and the upload grant: one path, told apart by `action`. */
export const seedRoutes =
  (options: SeedRoutesOptions) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    // By its name too: what is only found under `*` is taken apart at each request.
    const types = [FORM_TYPE, '*'];
    app.addContentTypeParser(types, { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES }, (_request, body, parsed) =>
      parsed(null, body),
    );
    // The form is read by our own strict reader; the schema only documents it.
    app.setValidatorCompiler(() => () => true);
    app.setErrorHandler((error, request, reply) => refuse(error, request, reply, mediaResponse, options.log));
    const handle = (request: FastifyRequest<SeedRoute>, reply: FastifyReply): Promise<void> =>
      answer(request, reply, options);
    app.post<SeedRoute>('/api/rest/media/:mediaid', { schema: SCHEMA }, handle);
    app.post<SeedRoute>('/api/rest/media', { schema: { hide: true } }, handle);
    done();
  };

const answer = async (
  request: FastifyRequest<SeedRoute>,
  reply: FastifyReply,
  options: SeedRoutesOptions,
): Promise<void> => {
  const form = seedForm(request.headers['content-type'], request.body);
  const seed = { mediaPath: request.params.mediaid ?? '', form };
  if (actionOf(form) === 'blast') return blast(seed, request, reply, options);
  try {
    await grant(seed, reply, options);
  } catch (error) {
    refuse(error, request, reply, uploadResponse, options.log);
  }
};

const blast = async (
  seed: SeedRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  options: SeedRoutesOptions,
): Promise<void> => {
  const { blastId, replayed } = await acceptedBlast(seed, request, options);
  if (replayed) reply.header('idempotency-replayed', 'true');
  reply.header('location', `${options.base}/api/v1/blasts/${blastId}`);
  sendJson(reply, 202, mediaResponse(202, seed.mediaPath));
};

const acceptedBlast = async (
  seed: SeedRequest,
  request: FastifyRequest,
  { acceptBlast, metrics, log }: SeedRoutesOptions,
): Promise<AcceptedBlast> => {
  try {
    const key = request.headers['idempotency-key'];
    const accepted = await acceptBlast(blastRequestOf(seed, [key].flat()[0]));
    metrics.noteBlast(accepted.replayed ? 'replayed' : 'accepted');
    if (!accepted.replayed) log.info({ blastId: accepted.blastId }, 'blast accepted');
    return accepted;
  } catch (error) {
    metrics.noteBlast(refusalCodeOf(error));
    throw error;
  }
};

const grant = async (
  seed: SeedRequest,
  reply: FastifyReply,
  { issueGrant, metrics, log }: SeedRoutesOptions,
): Promise<void> => {
  const { mediaId, grantId, token } = await noteResult(metrics.noteGrant, 'issued', async () => {
    const request = grantRequestOf(seed);
    return { mediaId: request.mediaId, ...(await issueGrant(request)) };
  });
  log.info({ mediaId }, 'grant issued');
  // The path is given without any prefix of the public URL: the interface fixes how it begins.
  sendJson(reply, 201, uploadResponse(201, '', { grantId, uri: `/api/rest/media/${mediaId}/${token}` }));
};

const sendJson = (reply: FastifyReply, status: number, body: unknown): void => {
  reply.code(status).type(JSON_TYPE).send(JSON.stringify(body));
};

const refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply, envelope: Envelope, log: Log): void => {
  const error = isUnknownMediaType(thrown) ? NOT_A_FORM : thrown;
  const refusal = refusalOf(error);
  logRefusal(error, refusal, request, log);
  reply.headers(headersOf(refusal.status, APP_KEY_CHALLENGE));
  const body = JSON.stringify(envelope(refusal.status, refusal.message));
  sendRefused(request, reply, refusal.status, JSON_TYPE, body);
};

/** Fastify refuses a Content-Type that it cannot parse before our reader sees it. */
const isUnknownMediaType = (error: unknown): boolean =>
  (error as { code?: string }).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE';

const NOT_A_FORM = new AppError('invalid_parameter', 'The Content-Type cannot be read: send a URL-encoded form.');

const refused = (description: string) => ({ ...MediaResponse, description });

const SCHEMA = {
  summary: 'Blast clips to a network by phone, or request an upload grant',
  tags: ['media interface'],
  security: [],
  consumes: ['application/x-www-form-urlencoded'],
  params: Type.Object({
    mediaid: Type.String({
      description: 'Media id; on a blast up to 100 of them, joined with hyphens, in playing order',
    }),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({ maxLength: 255, description: 'On a blast: repeats are answered, not called' }),
    ),
  }),
  body: Type.Object({
    action: Type.Union(ACTIONS.map((action) => Type.Literal(action))),
    appkey: Type.String(),
    networkid: Type.Optional(Type.String({ description: 'Required on a blast' })),
    greetingid: Type.Optional(Type.String({ description: 'Media id of the greeting, on a blast' })),
  }),
  response: {
    201: { ...UploadResponse, description: 'Upload grant issued' },
    202: refused('Blast accepted and committed'),
    400: refused('A parameter is missing or invalid'),
    401: { ...UploadResponse, description: 'Grant: the media id is not associated with the application' },
    404: refused('Blast: the key, network, media or greeting is not valid for this application'),
    409: refused('Blast: the Idempotency-Key was used with another request'),
    413: refused('The form is larger than 64 KiB'),
    502: refused('Blast: the call cannot be initiated at this time'),
    503: { ...UploadResponse, description: 'Grant: it cannot be stored at this time' },
  },
};
