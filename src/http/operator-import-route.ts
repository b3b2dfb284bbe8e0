import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { createImportDestinations, destinationsOfCsv, destinationsOfList } from '../app/import-destinations.ts';
import { AppError } from '../domain/app-error.ts';
import type { RouteHealth } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { takeJson } from './json-body.ts';
import { IdParams, ImportBody } from './operator-schemas.ts';

/** Room for 100,000 destinations of the greatest length. */
const MAX_IMPORT_BYTES = 32 * 1024 * 1024;

/** Destinations imported into a network, as CSV that is read as it comes, or as JSON. */
export const operatorImportRoute =
  (store: Store, routeHealth: Pick<RouteHealth, 'refresh'>) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const importDestinations = createImportDestinations(store, routeHealth);
    takeJson(app);
    app.addContentTypeParser('text/csv', (_request, octets, parsed) => parsed(null, octets));
    app.post<{ Params: Static<typeof IdParams>; Body: AsyncIterable<Buffer> | Static<typeof ImportBody> }>(
      '/operator/v1/networks/:id/destinations',
      {
        bodyLimit: MAX_IMPORT_BYTES,
        schema: { params: IdParams, body: { content: { 'application/json': { schema: ImportBody } } } },
      },
      ({ params, body, headers }) => importDestinations(params.id, listedIn(body, headers['content-type'])),
    );
    done();
  };

const listedIn = (body: AsyncIterable<Buffer> | Static<typeof ImportBody> | undefined, type: string | undefined) => {
  if (body === undefined || type === undefined)
    throw new AppError('invalid_parameter', 'There is nothing to import: send text/csv or application/json.');
  if (Symbol.asyncIterator in body) return destinationsOfCsv(textOf(body));
  return destinationsOfList('destinations' in body ? body.destinations : body);
};

async function* textOf(octets: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const piece of octets) {
    bytes += piece.length;
    if (bytes > MAX_IMPORT_BYTES)
      throw new AppError('upload_too_large', `The list is larger than ${MAX_IMPORT_BYTES} octets: send it in parts.`);
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder.decode();
}
