import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { DialerHandle } from '../app/dialer-handle.ts';
import { withLiveProgress } from '../app/read-blast.ts';
import { AppError } from '../domain/app-error.ts';
import type { Store } from '../domain/store-port.ts';
import { blastJson } from './blast-json.ts';
import { IdParams } from './operator-schemas.ts';
import { PageQuery, pageOf } from './page-query.ts';

type Paged = { Querystring: Static<typeof PageQuery> };

/** Blasts of every application. */
export const operatorBlastRoutes =
  (store: Store, dialer: Pick<DialerHandle, 'framesSent'>) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    app.get<Paged>('/operator/v1/blasts', { schema: { querystring: PageQuery } }, async ({ query }) => {
      const { items, next } = await store.view((views) => views.listBlasts(pageOf(query)));
      return { items: items.map((blast) => blastJson(withLiveProgress(blast, dialer))), next };
    });
    app.get<{ Params: Static<typeof IdParams> }>(
      '/operator/v1/blasts/:id',
      { schema: { params: IdParams } },
      async ({ params }) => {
        const blast = await store.view((views) => views.findBlast(params.id));
        if (!blast) throw new AppError('not_found', 'There is no such blast.');
        return blastJson(withLiveProgress(blast, dialer));
      },
    );
    done();
  };
