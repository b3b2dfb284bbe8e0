import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Store } from '../domain/store-port.ts';
import { bearerOf, unauthorized } from './bearer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Application that the bearer key of the request speaks for. */
    applicationId: string;
  }
}

/** Asks every request of this scope for a valid application key, before anything else of it is read. */
export const requireAppKey = (app: FastifyInstance, store: Store): void => {
  app.decorateRequest('applicationId', '');
  app.addHook('onRequest', async (request: FastifyRequest) => {
    const key = bearerOf(request.headers.authorization);
    const caller = await store.view((views) => views.findCaller(key));
    if (!caller) throw unauthorized();
    request.applicationId = caller.applicationId;
  });
};
