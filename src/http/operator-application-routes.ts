import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { createProvisionApplications } from '../app/provision-applications.ts';
import { AppError } from '../domain/app-error.ts';
import type { Store } from '../domain/store-port.ts';
import { orEmptyBody } from './json-body.ts';
import { applicationJson } from './operator-json.ts';
import { AppKeyBody, ApplicationBody, IdParams, KeyParams, SettingsBody } from './operator-schemas.ts';
import { PageQuery, pageOf } from './page-query.ts';

type WithId = { Params: Static<typeof IdParams> };

/** Applications, their keys, and the settings. */
export const operatorApplicationRoutes =
  (store: Store) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const provision = createProvisionApplications(store);
    app.post<{ Body: Static<typeof ApplicationBody> }>(
      '/operator/v1/applications',
      { schema: { body: ApplicationBody } },
      async ({ body }, reply) => {
        const { application, appKey } = await provision.create(body);
        reply.code(201).header('location', `/operator/v1/applications/${application.id}`);
        return { ...applicationJson(application), appKey };
      },
    );
    app.get<{ Querystring: Static<typeof PageQuery> }>(
      '/operator/v1/applications',
      { schema: { querystring: PageQuery } },
      async ({ query }) => {
        const { items, next } = await store.view((views) => views.listApplications(pageOf(query)));
        return { items: items.map(applicationJson), next };
      },
    );
    app.get<WithId>('/operator/v1/applications/:id', { schema: { params: IdParams } }, async ({ params }) => {
      const application = await store.view((views) => views.findApplication(params.id));
      if (!application) throw new AppError('not_found', 'There is no such application.');
      return applicationJson(application);
    });
    app.put<WithId & { Body: Static<typeof ApplicationBody> }>(
      '/operator/v1/applications/:id',
      { schema: { params: IdParams, body: ApplicationBody } },
      async ({ params, body }) => applicationJson(await provision.replace(params.id, body)),
    );
    app.delete<WithId>('/operator/v1/applications/:id', { schema: { params: IdParams } }, async ({ params }, reply) => {
      await provision.remove(params.id);
      return reply.code(204).send();
    });
    app.post<WithId & { Body: Static<typeof AppKeyBody> }>(
      '/operator/v1/applications/:id/app-keys',
      { preValidation: orEmptyBody, schema: { params: IdParams, body: AppKeyBody } },
      async ({ params, body }, reply) => {
        reply.code(201);
        return provision.addKey(params.id, body.appKey ?? null);
      },
    );
    app.delete<{ Params: Static<typeof KeyParams> }>(
      '/operator/v1/applications/:id/app-keys/:keyId',
      { schema: { params: KeyParams } },
      async ({ params }, reply) => {
        await provision.revokeKey(params.id, params.keyId);
        return reply.code(204).send();
      },
    );
    app.get('/operator/v1/settings', async () => store.view((views) => views.findSettings()));
    app.put<{ Body: Static<typeof SettingsBody> }>(
      '/operator/v1/settings',
      { schema: { body: SettingsBody } },
      async ({ body }) => provision.replaceSettings(body),
    );
    done();
  };
