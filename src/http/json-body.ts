import type { FastifyInstance } from 'fastify';

/** Takes JSON bodies in this scope. A POST that announces JSON and sends none is as good as one that sends none. */
export const takeJson = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, String(body), done);
  });
};

/** The body of a request that may come without one. */
export const orEmptyBody = (request: { body: unknown }, _reply: unknown, done: () => void): void => {
  request.body ??= {};
  done();
};
