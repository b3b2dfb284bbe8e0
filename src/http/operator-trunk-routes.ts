import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { createProvisionTrunks } from '../app/provision-trunks.ts';
import { AppError } from '../domain/app-error.ts';
import type { RouteHealth } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { type TrunkHealth, trunkJson } from './operator-json.ts';
import { IdParams, TrunkBody } from './operator-schemas.ts';
import { PageQuery, pageOf } from './page-query.ts';

type WithId = { Params: Static<typeof IdParams> };
type WithBody = { Body: Static<typeof TrunkBody> };

export const operatorTrunkRoutes =
  (store: Store, routeHealth: TrunkHealth & Pick<RouteHealth, 'refresh'>) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const provision = createProvisionTrunks(store, routeHealth);
    app.post<WithBody>('/operator/v1/trunks', { schema: { body: TrunkBody } }, async ({ body }, reply) => {
      const trunk = await provision.create(body);
      reply.code(201).header('location', `/operator/v1/trunks/${trunk.id}`);
      return trunkJson(trunk, routeHealth);
    });
    app.get<{ Querystring: Static<typeof PageQuery> }>(
      '/operator/v1/trunks',
      { schema: { querystring: PageQuery } },
      async ({ query }) => {
        const { items, next } = await store.view((views) => views.listTrunks(pageOf(query)));
        return { items: items.map((trunk) => trunkJson(trunk, routeHealth)), next };
      },
    );
    app.get<WithId>('/operator/v1/trunks/:id', { schema: { params: IdParams } }, async ({ params }) => {
      const trunk = await store.view((views) => views.findTrunk(params.id));
      if (!trunk) throw new AppError('not_found', 'There is no such trunk.');
      return trunkJson(trunk, routeHealth);
    });
    app.put<WithId & WithBody>(
      '/operator/v1/trunks/:id',
      { schema: { params: IdParams, body: TrunkBody } },
      async ({ params, body }) => trunkJson(await provision.replace(params.id, body), routeHealth),
    );
    app.delete<WithId>('/operator/v1/trunks/:id', { schema: { params: IdParams } }, async ({ params }, reply) => {
      await provision.remove(params.id);
      return reply.code(204).send();
    });
    done();
  };
