import type { FastifyInstance } from 'fastify';
import type { DialerHandle } from '../app/dialer-handle.ts';
import { createProvisionWebhooks } from '../app/provision-webhooks.ts';
import { createReplaceAudio } from '../app/receive-upload.ts';
import type { Exposition, Metrics } from '../domain/metrics.ts';
import type { Ingest, JudgeHead, Log, RandomSource, RouteHealth, WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { BEARER_CHALLENGE, bearerOf, unauthorized } from './bearer.ts';
import { clipRoutes, type ToWaveform } from './clip-routes.ts';
import type { Refusal } from './error-status.ts';
import { type EventRoutesOptions, eventRoutes } from './event-routes.ts';
import { grantRoutes } from './grant-routes.ts';
import { takeJson } from './json-body.ts';
import { operatorApplicationRoutes } from './operator-application-routes.ts';
import { operatorBlastRoutes } from './operator-blast-routes.ts';
import { operatorCallRoutes, type ToPcap } from './operator-call-routes.ts';
import { operatorImportRoute } from './operator-import-route.ts';
import type { TrunkHealth } from './operator-json.ts';
import { operatorAudioRoute, operatorMediaRoutes } from './operator-media-routes.ts';
import { operatorNetworkRoutes } from './operator-network-routes.ts';
import { operatorTrunkRoutes } from './operator-trunk-routes.ts';
import { refuseNulInPath } from './path-ids.ts';
import { PROBLEM_TYPE, problemOf } from './problem.ts';
import { scratchFilesIn } from './scratch-directory.ts';
import { createServer, IDLE_TIMEOUT_MS, type RefusalBody } from './server.ts';
import { isSameSecret, startSha256 } from './sha256.ts';
import { webhookRoutes } from './webhook-routes.ts';

export interface OperatorServerOptions {
  readonly store: Store;
  readonly ingest: Ingest;
  readonly judgeHead: JudgeHead;
  readonly routeHealth: TrunkHealth & Pick<RouteHealth, 'refresh'>;
  readonly dialer: Pick<DialerHandle, 'framesSent'>;
  readonly random: RandomSource;
  readonly events: EventRoutesOptions['events'];
  readonly wakeAfter: WakeAfter;
  readonly metrics: Pick<Metrics, 'noteUpload' | 'noteRequest'>;
  readonly exposition: Exposition;
  readonly toPcap: ToPcap;
  readonly log: Log;
  readonly operatorToken: string;
  readonly toWaveform: ToWaveform;
  /** Where uploads are kept while they are judged; must exist. */
  readonly scratchDirectory: string;
  readonly limits: { readonly maxUploadBytes: number; readonly maxClipSeconds: number };
  /** How long nothing may move on a connection; 60 s unless told. */
  readonly idleTimeoutMs?: number;
}

/** The operator's listener: provisioning, and a view of every blast. Not yet listening. */
export const buildOperatorServer = (options: OperatorServerOptions): FastifyInstance => {
  const { store, routeHealth, dialer, operatorToken, limits } = options;
  const app = createServer({
    listener: 'operator',
    metrics: options.metrics,
    log: options.log,
    render: renderProblem,
    rewriteTarget: (target) => target,
    idleTimeoutMs: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
  });
  app.addHook('onRequest', async (request) => {
    if (!isSameSecret(bearerOf(request.headers.authorization), operatorToken)) throw unauthorized();
  });
  refuseNulInPath(app);
  const replaceAudio = createReplaceAudio({
    ...options,
    ...limits,
    openScratchFile: scratchFilesIn(options.scratchDirectory),
    startSha256,
  });
  app.register(async (json) => {
    takeJson(json);
    json.register(operatorApplicationRoutes(store));
    json.register(operatorTrunkRoutes(store, routeHealth));
    json.register(operatorNetworkRoutes(store, routeHealth));
    json.register(operatorMediaRoutes(store));
    json.register(clipRoutes({ ...options, prefix: '/operator/v1', maySee: () => true }));
    json.register(grantRoutes({ store, prefix: '/operator/v1', ownerOf: () => undefined }));
    json.register(operatorBlastRoutes(store, dialer));
    json.register(
      webhookRoutes({
        webhooks: createProvisionWebhooks(store, options.random),
        path: '/operator/v1/applications/:id/webhooks',
        applicationOf: ({ params }) => (params as { readonly id: string }).id,
      }),
    );
    json.register(operatorCallRoutes(store, dialer, options.toPcap));
    json.register(
      eventRoutes({
        ...options,
        path: '/operator/v1/events',
        ownerOf: () => 'operator',
        readerOf: () => async () => ({ applicationId: null }),
      }),
    );
  });
  app.register(operatorImportRoute(store, routeHealth));
  app.register(operatorAudioRoute(store, replaceAudio));
  app.get('/metrics', async (_request, reply) =>
    reply.type(options.exposition.contentType).send(await options.exposition.read()),
  );
  return app;
};

const renderProblem = (refusal: Refusal): RefusalBody => ({
  type: PROBLEM_TYPE,
  body: JSON.stringify(problemOf(refusal)),
  challenge: BEARER_CHALLENGE,
});
