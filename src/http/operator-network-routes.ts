import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { createProvisionNetworks } from '../app/provision-networks.ts';
import { AppError } from '../domain/app-error.ts';
import type { RouteHealth } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { networkJson } from './operator-json.ts';
import { AssociationParams, IdParams, NetworkBody } from './operator-schemas.ts';
import { PageQuery, pageOf } from './page-query.ts';

type WithId = { Params: Static<typeof IdParams> };
type WithBody = { Body: Static<typeof NetworkBody> };
type Association = { Params: Static<typeof AssociationParams> };

/** Room for 100,000 destinations of the greatest length. */
const MAX_NETWORK_BYTES = 32 * 1024 * 1024;

export const operatorNetworkRoutes =
  (store: Store, routeHealth: Pick<RouteHealth, 'refresh'>) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const provision = createProvisionNetworks(store, routeHealth);
    app.post<WithBody>(
      '/operator/v1/networks',
      { bodyLimit: MAX_NETWORK_BYTES, schema: { body: NetworkBody } },
      async ({ body }, reply) => {
        const network = await provision.create(body);
        reply.code(201).header('location', `/operator/v1/networks/${network.id}`);
        return networkJson(network);
      },
    );
    app.get<{ Querystring: Static<typeof PageQuery> }>(
      '/operator/v1/networks',
      { schema: { querystring: PageQuery } },
      async ({ query }) => {
        const { items, next } = await store.view((views) => views.listNetworks(pageOf(query)));
        return { items: items.map(networkJson), next };
      },
    );
    app.get<WithId>('/operator/v1/networks/:id', { schema: { params: IdParams } }, async ({ params }) => {
      const network = await store.view((views) => views.findNetwork(params.id));
      if (!network) throw new AppError('not_found', 'There is no such network.');
      return networkJson(network);
    });
    app.put<WithId & WithBody>(
      '/operator/v1/networks/:id',
      { bodyLimit: MAX_NETWORK_BYTES, schema: { params: IdParams, body: NetworkBody } },
      async ({ params, body }) => networkJson(await provision.replace(params.id, body)),
    );
    app.delete<WithId>('/operator/v1/networks/:id', { schema: { params: IdParams } }, async ({ params }, reply) => {
      await provision.remove(params.id);
      return reply.code(204).send();
    });
    app.put<Association>(
      '/operator/v1/networks/:id/applications/:applicationId',
      { schema: { params: AssociationParams } },
      async ({ params }) => networkJson(await provision.associate(params.id, params.applicationId)),
    );
    app.delete<Association>(
      '/operator/v1/networks/:id/applications/:applicationId',
      { schema: { params: AssociationParams } },
      async ({ params }, reply) => {
        await provision.dissociate(params.id, params.applicationId);
        return reply.code(204).send();
      },
    );
    done();
  };
