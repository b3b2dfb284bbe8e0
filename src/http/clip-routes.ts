import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { AppError } from '../domain/app-error.ts';
import type { Media } from '../domain/media.ts';
import type { Store } from '../domain/store-port.ts';
import { ClipVersionJson, clipVersionJson } from './clip-json.ts';
import { listOf } from './page-query.ts';
import { nullable } from './schema.ts';

/** The waveform of µ-law octets, and their level in dB below full scale. */
export type ToWaveform = (
  pcmu: Uint8Array,
  points: number,
) => {
  readonly peaks: readonly (readonly [lowest: number, highest: number])[];
  readonly peakDbfs: number | null;
  readonly rmsDbfs: number | null;
};

/** Versions listed at most: all that calls may still play, but for very many uploads in an hour. */
const MAX_VERSIONS = 20;
const DEFAULT_POINTS = 500;

const Id = Type.Object({ id: Type.String() });
const PeaksQuery = Type.Object({
  points: Type.Optional(
    Type.String({ pattern: '^(?:[1-9][0-9]{0,2}|[12][0-9]{3}|3000)$', description: '1 to 3000, else 500' }),
  ),
});
const Peaks = Type.Object({
  clipId: Type.String(),
  durationMs: Type.Integer(),
  peakDbfs: nullable(Type.Number({ description: 'Level of the loudest sample; null for silence' })),
  rmsDbfs: nullable(Type.Number({ description: 'Root mean square of all samples' })),
  peaks: Type.Array(Type.Tuple([Type.Number(), Type.Number()]), {
    description: 'Lowest and highest sample of each stretch, from -1 to 1',
  }),
});

type WithId = { Params: Static<typeof Id> };

export interface ClipRoutesOptions {
  readonly store: Store;
  readonly toWaveform: ToWaveform;
  /** `/api/v1` or `/operator/v1`. */
  readonly prefix: string;
  /** Whether whoever sent the request may see the media. */
  readonly maySee: (request: FastifyRequest, media: Media) => boolean;
}

/** The clips of a media and how the current one looks: for an application of its own media, for an operator of all. */
export const clipRoutes =
  ({ store, toWaveform, prefix, maySee }: ClipRoutesOptions) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const mediaOf = async (request: FastifyRequest<WithId>): Promise<Media> => {
      const media = await store.view((views) => views.findMedia(request.params.id));
      if (media && maySee(request, media)) return media;
      throw new AppError('not_found', 'There is no such media.');
    };
    app.get<WithId>(
      `${prefix}/media/:id/clips`,
      { schema: { ...schemaOf('List the versions of a media'), response: { 200: listOf(ClipVersionJson) } } },
      async (request) => {
        const { id } = await mediaOf(request);
        const clips = await store.view((views) => views.listClips(id, MAX_VERSIONS));
        return { items: clips.map(clipVersionJson), next: null };
      },
    );
    app.get<WithId & { Querystring: Static<typeof PeaksQuery> }>(
      `${prefix}/media/:id/peaks`,
      { schema: { ...schemaOf('Draw a clip'), querystring: PeaksQuery, response: { 200: Peaks } } },
      async (request) => {
        const { clip } = await mediaOf(request);
        const pcmu = clip && (await store.view((views) => views.findRendition(clip.id, 'PCMU')));
        if (!pcmu) throw new AppError('not_found', 'The media holds no clip: upload one.');
        const waveform = toWaveform(pcmu, Number(request.query.points ?? DEFAULT_POINTS));
        return { clipId: clip.id, durationMs: clip.durationMs, ...waveform };
      },
    );
    done();
  };

const schemaOf = (summary: string) => ({ summary, tags: ['media'], params: Id });
