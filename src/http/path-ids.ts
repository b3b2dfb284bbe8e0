import type { FastifyInstance } from 'fastify';
import { AppError } from '../domain/app-error.ts';

/** No id holds a NUL character, and PostgreSQL does not even take one in a question: there is nothing at such a path. */
export const refuseNulInPath = (app: FastifyInstance): void => {
  app.addHook<{ Params: Readonly<Record<string, string>> }>('onRequest', async ({ params }) => {
    if (Object.values(params).some((id) => id.includes('\0')))
      throw new AppError('not_found', 'There is nothing at this path.');
  });
};
