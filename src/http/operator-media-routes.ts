import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { createProvisionMedia } from '../app/provision-media.ts';
import type { ReplaceAudio } from '../app/receive-upload.ts';
import { AppError } from '../domain/app-error.ts';
import type { Media } from '../domain/media.ts';
import type { Store } from '../domain/store-port.ts';
import { orEmptyBody } from './json-body.ts';
import { operatorMediaJson } from './operator-json.ts';
import { AssociationParams, IdParams, MediaBody } from './operator-schemas.ts';
import { PageQuery, pageOf } from './page-query.ts';
import { declaredBytesOf, rawOctets } from './upload-body.ts';

type WithId = { Params: Static<typeof IdParams> };
type Association = { Params: Static<typeof AssociationParams> };

export const operatorMediaRoutes =
  (store: Store) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const provision = createProvisionMedia(store);
    app.post<{ Body: Static<typeof MediaBody> }>(
      '/operator/v1/media',
      { preValidation: orEmptyBody, schema: { body: MediaBody } },
      async ({ body }, reply) => {
        const media = await provision.create(body);
        reply.code(201).header('location', `/operator/v1/media/${media.id}`);
        return operatorMediaJson(media);
      },
    );
    app.get<{ Querystring: Static<typeof PageQuery> }>(
      '/operator/v1/media',
      { schema: { querystring: PageQuery } },
      async ({ query }) => {
        const { items, next } = await store.view((views) => views.listMedia(pageOf(query)));
        return { items: items.map(operatorMediaJson), next };
      },
    );
    app.get<WithId>('/operator/v1/media/:id', { schema: { params: IdParams } }, async ({ params }) =>
      operatorMediaJson(await existing(store, params.id)),
    );
    app.delete<WithId>('/operator/v1/media/:id', { schema: { params: IdParams } }, async ({ params }, reply) => {
      await provision.remove(params.id);
      return reply.code(204).send();
    });
    app.put<Association>(
      '/operator/v1/media/:id/applications/:applicationId',
      { schema: { params: AssociationParams } },
      async ({ params }) => operatorMediaJson(await provision.associate(params.id, params.applicationId)),
    );
    app.delete<Association>(
      '/operator/v1/media/:id/applications/:applicationId',
      { schema: { params: AssociationParams } },
      async ({ params }, reply) => {
        await provision.dissociate(params.id, params.applicationId);
        return reply.code(204).send();
      },
    );
    done();
  };

/** Uploads without a grant, in a scope of its own: the body is audio of any declared type. */
export const operatorAudioRoute =
  (store: Store, replaceAudio: ReplaceAudio) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    app.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    app.addHook('onRequest', (request, _reply, next) => {
      // What the octets say counts: a strange declared type must not be refused by the framework first.
      delete request.raw.headers['content-type'];
      next();
    });
    app.put<WithId>('/operator/v1/media/:id/audio', { schema: { params: IdParams } }, async (request) => {
      const file = { declaredBytes: declaredBytesOf(request, false), octets: rawOctets(request) };
      const { mediaId } = await replaceAudio(request.params.id, file);
      return operatorMediaJson(await existing(store, mediaId));
    });
    done();
  };

const existing = async (store: Store, id: string): Promise<Media> => {
  const media = await store.view((views) => views.findMedia(id));
  if (!media) throw new AppError('not_found', 'There is no such media.');
  return media;
};
