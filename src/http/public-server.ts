import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { createAcceptBlast } from '../app/accept-blast.ts';
import { createCancelBlast } from '../app/cancel-blast.ts';
import type { DialerHandle } from '../app/dialer-handle.ts';
import { createIssueGrant } from '../app/issue-grant.ts';
import { createProvisionMedia } from '../app/provision-media.ts';
import { createProvisionWebhooks } from '../app/provision-webhooks.ts';
import type { EventFeed } from '../app/publish-events.ts';
import { createReceiveUpload } from '../app/receive-upload.ts';
import { createReleaseGrant } from '../app/release-grant.ts';
import { createResumeUpload } from '../app/resume-upload.ts';
import type { Metrics } from '../domain/metrics.ts';
import type { BuiltInGreeting, Ingest, JudgeHead, Log, RandomSource, RouteHealth, WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { BEARER_CHALLENGE, bearerOf } from './bearer.ts';
import { blastRoutes } from './blast-routes.ts';
import { requireAppKey } from './caller.ts';
import { type ClipRoutesOptions, clipRoutes, type ToWaveform } from './clip-routes.ts';
import type { Refusal } from './error-status.ts';
import { eventRoutes } from './event-routes.ts';
import { grantRoutes } from './grant-routes.ts';
import { takeJson } from './json-body.ts';
import { mediaResponse } from './media-response.ts';
import { mediaRoutes, type ToWav } from './media-routes.ts';
import { refuseNulInPath } from './path-ids.ts';
import { PROBLEM_TYPE, problemOf } from './problem.ts';
import { baseOf, stripPrefix } from './public-url.ts';
import { scratchFilesIn } from './scratch-directory.ts';
import { seedRoutes } from './seed-routes.ts';
import { createServer, IDLE_TIMEOUT_MS, type RefusalBody } from './server.ts';
import { sha256, startSha256 } from './sha256.ts';
import { createHandleTus } from './tus-routes.ts';
import { createSpeakTus } from './tus-server.ts';
import { uploadRoutes } from './upload-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

export interface PublicServerOptions {
  readonly store: Store;
  readonly ingest: Ingest;
  readonly judgeHead: JudgeHead;
  readonly routeHealth: Pick<RouteHealth, 'isCallable'>;
  readonly dialer: DialerHandle;
  readonly events: Pick<EventFeed, 'subscribe'>;
  readonly random: RandomSource;
  readonly wakeAfter: WakeAfter;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly builtInGreeting: Pick<BuiltInGreeting, 'frameCount'>;
  readonly toWav: ToWav;
  readonly toWaveform: ToWaveform;
  /** Where uploads are kept while they are judged; must exist. */
  readonly scratchDirectory: string;
  readonly publicUrl: URL | null;
  readonly limits: PublicLimits;
  /** Whether calls can be taken, for health checks. */
  readonly isReady: () => boolean;
  /** How long nothing may move on a connection; 60 s unless told. */
  readonly idleTimeoutMs?: number;
}

export interface PublicLimits {
  readonly maxUploadBytes: number;
  readonly maxClipSeconds: number;
  readonly grantTtlSeconds: number;
  readonly maxWaitingCalls: number;
}

/** The public listener: the media interface, uploads, the application API, health. Not yet listening. */
export const buildPublicServer = (options: PublicServerOptions): FastifyInstance => {
  const app = createServer({
    listener: 'public',
    metrics: options.metrics,
    log: options.log,
    render: renderPublic,
    rewriteTarget: stripPrefix(options.publicUrl),
    idleTimeoutMs: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
  });
  app.register(swagger, { openapi: openApiOf(options.publicUrl) });
  app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true, logo: NO_LOGO, theme: { title: 'Ringcast' } });
  app.register(mediaInterface(options));
  app.register(applicationApi(options));
  app.register(openRoutes(options));
  return app;
};

const NO_LOGO = { type: 'image/svg+xml', content: '<svg xmlns="http://www.w3.org/2000/svg"/>' };

/** Under `/api/rest` everybody is answered in the media interface's own envelope, elsewhere by problem documents. */
const renderPublic = (refusal: Refusal, path: string): RefusalBody =>
  path === '/api/rest' || path.startsWith('/api/rest/')
    ? {
        type: 'application/json; charset=utf-8',
        body: JSON.stringify(mediaResponse(refusal.status, refusal.message)),
        challenge: 'UploadGrant realm="ringcast"',
      }
    : { type: PROBLEM_TYPE, body: JSON.stringify(problemOf(refusal)), challenge: BEARER_CHALLENGE };

const mediaInterface =
  (options: PublicServerOptions) =>
  async (app: FastifyInstance): Promise<void> => {
    const { limits, log, builtInGreeting, scratchDirectory } = options;
    const base = baseOf(options.publicUrl);
    const openScratchFile = scratchFilesIn(scratchDirectory);
    const acceptBlast = createAcceptBlast({
      ...options,
      sha256,
      builtInFrameCount: builtInGreeting.frameCount,
      maxWaitingCalls: limits.maxWaitingCalls,
    });
    const issueGrant = createIssueGrant({ store: options.store, grantTtlSeconds: limits.grantTtlSeconds });
    const releaseGrant = createReleaseGrant(options);
    app.addHook('onClose', async () => releaseGrant.close());
    const receiveUpload = createReceiveUpload({
      ...options,
      ...limits,
      releaseGrant,
      openScratchFile,
      startSha256,
    });
    app.register(seedRoutes({ acceptBlast, issueGrant, base, metrics: options.metrics, log }));
    const { maxUploadBytes } = limits;
    const handleTus = createHandleTus({
      store: options.store,
      resumeUpload: createResumeUpload({ ...options, ...limits, receiveUpload }),
      speakTus: createSpeakTus({ openScratchFile, random: options.random, base }),
      log,
    });
    app.register(uploadRoutes({ receiveUpload, handleTus, base, maxUploadBytes, log }));
  };

const applicationApi =
  (options: PublicServerOptions) =>
  async (app: FastifyInstance): Promise<void> => {
    const { store, dialer, metrics, log, toWav, toWaveform, random } = options;
    takeJson(app);
    requireAppKey(app, store);
    refuseNulInPath(app);
    app.register(
      mediaRoutes({ store, toWav, provision: createProvisionMedia(store), base: baseOf(options.publicUrl) }),
    );
    const maySee: ClipRoutesOptions['maySee'] = ({ applicationId }, media) =>
      media.applicationIds.includes(applicationId);
    app.register(clipRoutes({ store, toWaveform, prefix: '/api/v1', maySee }));
    app.register(grantRoutes({ store, prefix: '/api/v1', ownerOf: ({ applicationId }) => applicationId }));
    app.register(blastRoutes({ store, dialer, cancelBlast: createCancelBlast({ store, dialer, metrics, log }) }));
    app.register(
      eventRoutes({
        ...options,
        path: '/api/v1/events',
        ownerOf: ({ applicationId }) => applicationId,
        readerOf: (request) => (views) => views.findCaller(bearerOf(request.headers.authorization)),
      }),
    );
    app.register(
      webhookRoutes({
        webhooks: createProvisionWebhooks(store, random),
        path: '/api/v1/webhooks',
        applicationOf: ({ applicationId }) => applicationId,
      }),
    );
  };

/** What needs no key. */
const openRoutes =
  ({ isReady }: PublicServerOptions) =>
  async (app: FastifyInstance): Promise<void> => {
    app.get(
      '/health/live',
      { schema: { summary: 'Is the process alive', tags: ['health'], security: [] } },
      async () => ({ status: 'live' }),
    );
    app.get(
      '/health/ready',
      { schema: { summary: 'Can calls be taken', tags: ['health'], security: [] } },
      async (_request, reply) => {
        if (isReady()) return { status: 'ready' };
        return reply.code(503).header('retry-after', '5').send({ status: 'not ready' });
      },
    );
    app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  };

const openApiOf = (publicUrl: URL | null) => ({
  openapi: '3.1.0',
  info: {
    title: 'Ringcast',
    version: '1',
    description:
      'Media blasts, upload grants, and the application API. Errors outside /api/rest are RFC 9457 problems.',
  },
  servers: [{ url: baseOf(publicUrl) || '/' }],
  components: { securitySchemes: { appKey: { type: 'http' as const, scheme: 'bearer' } } },
  security: [{ appKey: [] }],
});
