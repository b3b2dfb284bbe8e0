import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError } from '../domain/app-error.ts';
import type { EndedRequest, Metrics } from '../domain/metrics.ts';
import type { Log } from '../domain/ports.ts';
import { type AllowedMethods, trackMethods } from './allowed-methods.ts';
import { headersOf, type Refusal, refusalOf } from './error-status.ts';
import { linger } from './linger.ts';

/** How a refusal looks to whoever asked for `path`. */
export interface RefusalBody {
  readonly type: string;
  readonly body: string;
  /** Value of `WWW-Authenticate` on a 401. */
  readonly challenge: string;
}
export type RenderRefusal = (refusal: Refusal, path: string) => RefusalBody;

export interface ServerOptions {
  readonly listener: EndedRequest['listener'];
  readonly metrics: Pick<Metrics, 'noteRequest'>;
  readonly log: Log;
  readonly render: RenderRefusal;
  readonly rewriteTarget: (target: string) => string;
  /** A connection on which nothing moves for this long is cut off. */
  readonly idleTimeoutMs: number;
}

export const IDLE_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 30_000;
/** The whole of a request, so the slowest upload there may be. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;
/** As long as a request line can be: the limit on ids in a list speaks first. */
const MAX_PARAM_LENGTH = 16_384;

const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** What the public and the operator listener have in common: limits, time-outs, headers, refusals. */
export const createServer = (options: ServerOptions): FastifyInstance => {
  const app = Fastify({
    logger: false,
    // Asked for below: Node's own refusal has neither envelope nor headers.
    http: { headersTimeout: HEADERS_TIMEOUT_MS, requireHostHeader: false },
    connectionTimeout: options.idleTimeoutMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // While draining, requests are answered by the use cases (502), in their own envelope.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // What is sent must be of the right type: "5" is not 5, and a misspelt member is told, not dropped.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    rewriteUrl: (request) => options.rewriteTarget(request.url ?? '/'),
    // Of those there is one: a path with an escape that cannot be decoded.
    frameworkErrors: (_error, request, reply) => {
      sendRefusal(request, reply.headers(HEADERS), BAD_PATH, options);
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, options),
  });
  // A parser is added where a body is wanted; elsewhere a body must not turn a 404 into a 400.
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS);
    done(lacksHost(request.raw) ? NO_HOST : undefined);
  });
  app.addHook('onResponse', (request, reply, done) => {
    options.metrics.noteRequest(endedRequestOf(options.listener, request, reply));
    done();
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  answerStrays(app, trackMethods(app), options);
  app.setErrorHandler((error, request, reply) => handleError(error, request, reply, options));
  app.setSerializerCompiler(() => JSON.stringify);
  return app;
};

const endedRequestOf = (
  listener: EndedRequest['listener'],
  request: FastifyRequest,
  reply: FastifyReply,
): EndedRequest => ({
  listener,
  method: request.method,
  route: request.routeOptions.url ?? null,
  status: reply.statusCode,
  durationMs: reply.elapsedTime,
});

/** RFC 9112 3.2: HTTP/1.1 without Host is answered by 400. */
const lacksHost = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.1' && headers.host === undefined;

const NO_HOST = new AppError('invalid_parameter', 'The request has no Host header, which HTTP/1.1 requires.');

const answerStrays = (app: FastifyInstance, allowedMethods: AllowedMethods, options: ServerOptions): void => {
  app.setNotFoundHandler((request, reply) => {
    const methods = allowedMethods(pathOf(request));
    if (methods.length === 0) return sendRefusal(request, reply, NO_ROUTE, options);
    reply.header('allow', methods.join(', '));
    sendRefusal(request, reply, WRONG_METHOD, options);
  });
};

const NO_ROUTE: Refusal = {
  status: 404,
  message: 'There is nothing at this path.',
  code: 'no_route',
  field: undefined,
};
const BAD_PATH: Refusal = {
  status: 400,
  message: 'The path holds a percent escape that cannot be decoded.',
  code: 'bad_path',
  field: undefined,
};
const WRONG_METHOD: Refusal = {
  status: 405,
  message: 'This path does not take this method: see Allow.',
  code: 'wrong_method',
  field: undefined,
};

/** The path of a request without its query, still escaped. */
export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '/';

const handleError = (error: unknown, request: FastifyRequest, reply: FastifyReply, options: ServerOptions): void => {
  // Off every route, a body that cannot be read is nobody's business.
  const refusal = request.is404 && !(error instanceof AppError) ? NO_ROUTE : refusalOf(error);
  logRefusal(error, refusal, request, options.log);
  sendRefusal(request, reply, refusal, options);
};

/** Only the route's pattern is logged: a path may hold a token, a body may hold a key. */
export const logRefusal = (error: unknown, { status }: Refusal, request: FastifyRequest, log: Log): void => {
  const fields = { err: error, method: request.method, route: request.routeOptions.url, status };
  if (status === 500) log.error(fields, 'request failed');
  else if (status >= 500) log.warn(fields, 'request refused for now');
};

const sendRefusal = (
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  { render }: ServerOptions,
): void => {
  const { type, body, challenge } = render(refusal, pathOf(request));
  sendRefused(request, reply.headers(headersOf(refusal.status, challenge)), refusal.status, type, body);
};

/** Sends a refusal and lets what is left of the request's body run out. */
export const sendRefused = (
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  type: string,
  body: string,
): void => {
  // Fastify closes at once after a body it could not take, which may reset the answer away; we linger instead.
  reply.removeHeader('connection');
  reply.code(status).type(type).send(body);
  linger(request.raw);
};

const UNREADABLE: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request line and headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};

/** Answers what is no HTTP request, as far as the line still carries an answer. */
const answerUnreadable = (error: NodeJS.ErrnoException, socket: Socket, options: ServerOptions): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = UNREADABLE[error.code ?? ''] ?? [400, 'This is no HTTP request that can be read.'];
  const refusal = { status, message, code: 'unreadable_request', field: undefined };
  // The path is unknown here: answered as the media interface would.
  const { type, body } = options.render(refusal, '/api/rest');
  const headers = { ...HEADERS, 'content-type': type, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
};
