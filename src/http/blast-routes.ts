import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { CancelBlast } from '../app/cancel-blast.ts';
import type { DialerHandle } from '../app/dialer-handle.ts';
import { withLiveProgress } from '../app/read-blast.ts';
import { AppError } from '../domain/app-error.ts';
import type { BlastView } from '../domain/blast.ts';
import type { Store } from '../domain/store-port.ts';
import { BlastJson, blastJson } from './blast-json.ts';
import { isoTime } from './iso-time.ts';
import { listOf, PageQuery, pageOf } from './page-query.ts';

export interface BlastRoutesOptions {
  readonly store: Store;
  readonly cancelBlast: CancelBlast;
  readonly dialer: Pick<DialerHandle, 'framesSent'>;
}

const Id = Type.Object({ id: Type.String() });

const NetworkJson = Type.Object({
  id: Type.String(),
  name: Type.String(),
  destinationCount: Type.Integer(),
  createdAt: Type.String(),
});

/** An application's networks and blasts. */
export const blastRoutes =
  ({ store, cancelBlast, dialer }: BlastRoutesOptions) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const shown = (blast: BlastView): Static<typeof BlastJson> => blastJson(withLiveProgress(blast, dialer));
    app.get<{ Querystring: Static<typeof PageQuery> }>(
      '/api/v1/networks',
      {
        schema: {
          summary: 'List networks',
          tags: ['networks'],
          querystring: PageQuery,
          response: { 200: listOf(NetworkJson) },
        },
      },
      async ({ query, applicationId }) => {
        const { items, next } = await store.view((views) => views.listNetworks(pageOf(query), applicationId));
        const networks = items.map(({ id, name, destinations, createdAt }) => ({
          id,
          name,
          destinationCount: destinations.length,
          createdAt: isoTime(createdAt),
        }));
        return { items: networks, next };
      },
    );
    app.get<{ Querystring: Static<typeof PageQuery> }>(
      '/api/v1/blasts',
      {
        schema: {
          summary: 'List blasts',
          tags: ['blasts'],
          querystring: PageQuery,
          response: { 200: listOf(BlastJson) },
        },
      },
      async ({ query, applicationId }) => {
        const { items, next } = await store.view((views) => views.listBlasts(pageOf(query), applicationId));
        return { items: items.map(shown), next };
      },
    );
    app.get<{ Params: Static<typeof Id> }>(
      '/api/v1/blasts/:id',
      { schema: { summary: 'Read a blast', tags: ['blasts'], params: Id, response: { 200: BlastJson } } },
      async ({ params, applicationId }) => {
        const blast = await store.view((views) => views.findBlast(params.id, applicationId));
        if (!blast) throw new AppError('not_found', 'There is no such blast.');
        return shown(blast);
      },
    );
    app.post<{ Params: Static<typeof Id> }>(
      '/api/v1/blasts/:id/cancel',
      { schema: { summary: 'Cancel a blast', tags: ['blasts'], params: Id, response: { 200: BlastJson } } },
      async ({ params, applicationId }) => shown(await cancelBlast(params.id, applicationId)),
    );
    done();
  };
