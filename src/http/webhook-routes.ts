import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { ProvisionWebhooks } from '../app/provision-webhooks.ts';
import { AppError } from '../domain/app-error.ts';
import { listOf } from './page-query.ts';
import {
  ReplayBody,
  ReplayJson,
  WebhookBody,
  WebhookJson,
  WebhookWithSecretJson,
  webhookJson,
  webhookWithSecretJson,
} from './webhook-json.ts';

export interface WebhookRoutesOptions {
  readonly webhooks: ProvisionWebhooks;
  /** `/api/v1/webhooks`, or below an application of the operator's: then with `:id` for its id. */
  readonly path: string;
  readonly applicationOf: (request: FastifyRequest) => string;
}

const Ids = Type.Object({ webhookId: Type.String() });
type WithIds = { Params: Static<typeof Ids> };
type WithBody = { Body: Static<typeof WebhookBody> };
type WithReplay = { Body: Static<typeof ReplayBody> };

/** Webhooks of one application, the same for itself and for the operator. */
export const webhookRoutes =
  ({ webhooks, path, applicationOf }: WebhookRoutesOptions) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const one = `${path}/:webhookId`;
    const doc = (summary: string, status: number, answer: object) => ({
      summary,
      tags: ['webhooks'],
      response: { [status]: answer },
    });
    app.post<WithBody>(
      path,
      { schema: { ...doc('Add a webhook', 201, WebhookWithSecretJson), body: WebhookBody } },
      async (request, reply) => {
        const webhook = await webhooks.create(applicationOf(request), request.body);
        reply.code(201).header('location', `${request.url.split('?', 1)[0]}/${webhook.id}`);
        return webhookWithSecretJson(webhook);
      },
    );
    app.get(path, { schema: doc('List webhooks', 200, listOf(WebhookJson)) }, async (request) => ({
      items: (await webhooks.list(applicationOf(request))).map(webhookJson),
      next: null,
    }));
    app.get<WithIds>(one, { schema: { ...doc('Read a webhook', 200, WebhookJson), params: Ids } }, async (request) =>
      webhookJson(await webhooks.find(applicationOf(request), request.params.webhookId)),
    );
    app.put<WithIds & WithBody>(
      one,
      { schema: { ...doc('Replace a webhook; its secret stays', 200, WebhookJson), params: Ids, body: WebhookBody } },
      async (request) =>
        webhookJson(await webhooks.replace(applicationOf(request), request.params.webhookId, request.body)),
    );
    app.delete<WithIds>(
      one,
      { schema: { ...doc('Delete a webhook', 204, Type.Null()), params: Ids } },
      async (request, reply) => {
        await webhooks.remove(applicationOf(request), request.params.webhookId);
        return reply.code(204).send();
      },
    );
    app.post<WithIds>(
      `${one}/rotate`,
      {
        schema: {
          ...doc('Make a new secret; the old one signs too for 24 h', 200, WebhookWithSecretJson),
          params: Ids,
        },
      },
      async (request) => webhookWithSecretJson(await webhooks.rotate(applicationOf(request), request.params.webhookId)),
    );
    app.post<WithIds & WithReplay>(
      `${one}/replay`,
      { schema: { ...doc('Send events once more', 200, ReplayJson), params: Ids, body: ReplayBody } },
      async (request) => {
        const since = { sinceAt: timeOf(request.body.since), after: request.body.after ?? null };
        return webhooks.replay(applicationOf(request), request.params.webhookId, since);
      },
    );
    done();
  };

const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

const timeOf = (text: string): number => {
  const at = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(at)) return at;
  throw new AppError('invalid_field', 'since must be a time such as 2026-01-31T09:00:00Z.', { field: 'since' });
};
