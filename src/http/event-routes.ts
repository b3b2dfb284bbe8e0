import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { EventFeed } from '../app/publish-events.ts';
import { AppError } from '../domain/app-error.ts';
import type { WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { eventStream, type ReaderOf } from './event-stream.ts';

export interface EventRoutesOptions {
  readonly store: Store;
  readonly events: Pick<EventFeed, 'subscribe'>;
  readonly wakeAfter: WakeAfter;
  readonly path: string;
  /** Streams of one owner are counted together. */
  readonly ownerOf: (request: FastifyRequest) => string;
  readonly readerOf: (request: FastifyRequest) => ReaderOf;
}

/** Streams open at once, of one application and of all. */
const MAX_STREAMS = 20;
const MAX_ALL_STREAMS = 1000;

const ID = /^[0-9]{1,15}$/;
const AfterQuery = Type.Object({
  after: Type.Optional(Type.String({ description: 'id of the last event that was seen; 0 for all that are kept' })),
});

/** An application's events, or those of all, as they happen (HTML Living Standard, server-sent events). */
export const eventRoutes =
  ({ store, events, wakeAfter, path, ownerOf, readerOf }: EventRoutesOptions) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const open = new Map<string, number>();
    const closing = new AbortController();
    // Before the listener waits for its connections to end.
    app.addHook('preClose', async () => closing.abort());
    app.get<{ Querystring: Static<typeof AfterQuery> }>(
      path,
      {
        schema: {
          summary: 'Events as they happen (server-sent events), from Last-Event-ID or `after` on',
          tags: ['events'],
          querystring: AfterQuery,
          produces: ['text/event-stream'],
        },
      },
      async (request, reply) => {
        const afterId = checkedId(request.headers['last-event-id'] ?? request.query.after);
        const release = takePlace(open, ownerOf(request));
        const gone = new AbortController();
        reply.raw.once('close', () => {
          gone.abort();
          release();
        });
        const signal = AbortSignal.any([gone.signal, closing.signal]);
        const text = eventStream({ store, events, wakeAfter, readerOf: readerOf(request), afterId, signal });
        return reply.type('text/event-stream; charset=utf-8').send(Readable.from(text));
      },
    );
    done();
  };

const checkedId = (text: string | string[] | undefined): string | null => {
  if (text === undefined || text === '') return null;
  if (typeof text === 'string' && ID.test(text)) return text;
  const sentence = 'Last-Event-ID and after take the id of an event, or 0 for all that are kept.';
  throw new AppError('invalid_parameter', sentence, { field: 'after' });
};

/** Counts one more stream of the application; the answer gives its place back. */
const takePlace = (open: Map<string, number>, applicationId: string): (() => void) => {
  const count = open.get(applicationId) ?? 0;
  const all = [...open.values()].reduce((sum, streams) => sum + streams, 0);
  if (count >= MAX_STREAMS || all >= MAX_ALL_STREAMS)
    throw new AppError('too_many', 'Too many event streams are open: close one first.');
  open.set(applicationId, count + 1);
  return () => {
    const left = (open.get(applicationId) ?? 1) - 1;
    if (left === 0) open.delete(applicationId);
    else open.set(applicationId, left);
  };
};
