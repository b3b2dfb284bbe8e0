import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { ProvisionMedia } from '../app/provision-media.ts';
import { AppError } from '../domain/app-error.ts';
import type { Clip, Media } from '../domain/media.ts';
import type { Store } from '../domain/store-port.ts';
import { orEmptyBody } from './json-body.ts';
import { MediaJson, mediaJson } from './media-json.ts';
import { listOf, PageQuery, pageOf } from './page-query.ts';
import { optional, ProcessingInput, strictObject } from './schema.ts';

/** A WAV file of µ-law octets, as a phone hears them, in parts that are made as they are read. */
export type ToWav = (pcmu: Uint8Array) => { readonly bytes: number; readonly parts: Iterable<Uint8Array> };

export interface MediaRoutesOptions {
  readonly store: Store;
  readonly provision: ProvisionMedia;
  readonly toWav: ToWav;
  readonly base: string;
}

const TAGS = ['media'];
const Id = Type.Object({ id: Type.String() });
const NewMedia = strictObject({ name: optional(Type.String()), processing: ProcessingInput });
const AudioQuery = Type.Object({
  as: Type.Optional(Type.Unsafe<'original'>({ type: 'string', enum: ['original'], description: 'What was uploaded' })),
});

/** An application's own media: how it obtains a media id, and how it listens to what was uploaded. */
export const mediaRoutes =
  (options: MediaRoutesOptions) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const { store } = options;
    app.post<{ Body: Static<typeof NewMedia> }>(
      '/api/v1/media',
      {
        preValidation: orEmptyBody,
        schema: { summary: 'Obtain a media id', tags: TAGS, body: NewMedia, response: { 201: MediaJson } },
      },
      (request, reply) => create(request, reply, options),
    );
    app.get<{ Querystring: Static<typeof PageQuery> }>(
      '/api/v1/media',
      { schema: { summary: 'List media', tags: TAGS, querystring: PageQuery, response: { 200: listOf(MediaJson) } } },
      async ({ query, applicationId }) => {
        const { items, next } = await store.view((views) => views.listMedia(pageOf(query), applicationId));
        return { items: items.map(mediaJson), next };
      },
    );
    app.get<{ Params: Static<typeof Id> }>(
      '/api/v1/media/:id',
      { schema: { summary: 'Read a media', tags: TAGS, params: Id, response: { 200: MediaJson } } },
      async ({ params, applicationId }) => mediaJson(await ownMedia(store, params.id, applicationId)),
    );
    app.get<{ Params: Static<typeof Id>; Querystring: Static<typeof AudioQuery> }>(
      '/api/v1/media/:id/audio',
      { schema: { summary: 'Hear a clip as the phone does', tags: TAGS, params: Id, querystring: AudioQuery } },
      (request, reply) => sendAudio(request, reply, options),
    );
    done();
  };

const create = async (
  { body, applicationId }: FastifyRequest<{ Body: Static<typeof NewMedia> }>,
  reply: FastifyReply,
  { provision, base }: MediaRoutesOptions,
): Promise<Static<typeof MediaJson>> => {
  const { name, processing } = body;
  const media = await provision.create({
    name: name ?? '',
    applicationIds: [applicationId],
    processing: processing ?? {},
  });
  reply.code(201).header('location', `${base}/api/v1/media/${media.id}`);
  return mediaJson(media);
};

const ownMedia = async (store: Store, id: string, applicationId: string): Promise<Media> => {
  const media = await store.view((views) => views.findMedia(id));
  if (media?.applicationIds.includes(applicationId)) return media;
  throw new AppError('not_found', 'There is no such media.');
};

const sendAudio = async (
  request: FastifyRequest<{ Params: Static<typeof Id>; Querystring: Static<typeof AudioQuery> }>,
  reply: FastifyReply,
  options: MediaRoutesOptions,
): Promise<FastifyReply> => {
  const { id } = request.params;
  const { clip } = await ownMedia(options.store, id, request.applicationId);
  if (!clip) throw new AppError('not_found', 'The media holds no clip yet: upload one.');
  return request.query.as === 'original' ? sendOriginal(reply, clip, options) : sendWav(reply, clip, options);
};

const sendWav = async (
  reply: FastifyReply,
  clip: Clip,
  { store, toWav }: MediaRoutesOptions,
): Promise<FastifyReply> => {
  const pcmu = await store.view((views) => views.findRendition(clip.id, 'PCMU'));
  if (!pcmu) throw new AppError('not_found', 'The clip was replaced a moment ago: ask again.');
  const { bytes, parts } = toWav(pcmu);
  return reply
    .type('audio/wav')
    .header('content-length', bytes)
    .send(Readable.from(inTurns(parts), { objectMode: false }));
};

/** Lets everybody else have a turn after each part: ten minutes of sound would hold them all up. */
async function* inTurns(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    yield part;
    await setImmediate();
  }
}

const sendOriginal = (reply: FastifyReply, clip: Clip, { store }: MediaRoutesOptions): FastifyReply =>
  reply
    .type(clip.originalType)
    // Somebody else's octets: to be kept as a file, never to be shown in this origin.
    .header('content-disposition', 'attachment')
    .header('content-length', clip.originalBytes)
    .send(Readable.from(originalParts(store, clip.id), { objectMode: false }));

async function* originalParts(store: Store, clipId: string): AsyncGenerator<Uint8Array> {
  for (let part = 0; ; part += 1) {
    const octets = await store.view((views) => views.findOriginalPart(clipId, part));
    if (!octets) return;
    yield octets;
  }
}
