import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { createRevokeGrant, noSuchGrant } from '../app/revoke-grant.ts';
import type { Store } from '../domain/store-port.ts';
import { GrantJson, grantJson } from './grant-json.ts';
import { listOf, PageQuery, pageOf } from './page-query.ts';

const Id = Type.Object({ id: Type.String({ description: 'Of the record, or the grant id that was issued' }) });
const GrantQuery = Type.Object({
  ...PageQuery.properties,
  mediaId: Type.Optional(Type.String({ description: 'Only grants for this media' })),
});

type WithId = { Params: Static<typeof Id> };

export interface GrantRoutesOptions {
  readonly store: Store;
  /** `/api/v1` or `/operator/v1`. */
  readonly prefix: string;
  /** Whose grants a request may see; undefined for all. */
  readonly ownerOf: (request: FastifyRequest) => string | undefined;
}

/** What became of grants, and revoking them: for an application its own, for an operator all. */
export const grantRoutes =
  ({ store, prefix, ownerOf }: GrantRoutesOptions) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const revoke = createRevokeGrant(store);
    app.get<{ Querystring: Static<typeof GrantQuery> }>(
      `${prefix}/grants`,
      { schema: { ...schemaOf('List grants'), querystring: GrantQuery, response: { 200: listOf(GrantJson) } } },
      async (request) => {
        const { mediaId } = request.query;
        const applicationId = ownerOf(request);
        const filter = { ...(mediaId === undefined ? {} : { mediaId }), ...(applicationId && { applicationId }) };
        const { items, next } = await store.view((views) => views.listGrants(pageOf(request.query), filter));
        return { items: items.map(grantJson), next };
      },
    );
    app.get<WithId>(
      `${prefix}/grants/:id`,
      { schema: { ...schemaOf('Read a grant'), params: Id, response: { 200: GrantJson } } },
      async (request) => {
        const grant = await store.view((views) => views.findGrantRecord(request.params.id, ownerOf(request)));
        if (!grant) throw noSuchGrant();
        return grantJson(grant);
      },
    );
    app.post<WithId>(
      `${prefix}/grants/:id/revoke`,
      { schema: { ...schemaOf('Revoke a grant'), params: Id, response: { 200: GrantJson } } },
      async (request) => grantJson(await revoke(request.params.id, ownerOf(request))),
    );
    done();
  };

const schemaOf = (summary: string) => ({ summary, tags: ['grants'] });
