import { Failure, Refused } from './failure.ts';
import { visible } from './text.ts';

export const ANSWER_TIMEOUT_MS = 15_000;
/** Decoding a long clip without a native ffmpeg takes its time. */
export const UPLOAD_TIMEOUT_MS = 300_000;
const STREAM_TIMEOUT_MS = 24 * 3_600_000;

export interface Reply<T> {
  readonly value: T;
  /** The body as it came, for `--json`. */
  readonly text: string;
  readonly headers: Headers;
}

export interface ApiRequest {
  readonly method: string;
  /** Below the base URL, with its leading slash; ids in it are percent-encoded by the caller. */
  readonly path: string;
  readonly json?: object;
  readonly form?: Readonly<Record<string, string>>;
  readonly file?: Blob;
  /** Told how much of `file` has been handed to the line. */
  readonly onSent?: (sentBytes: number) => void;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export interface Api {
  readonly baseUrl: string;
  /** Throws a Failure with one sentence if nothing answers, or anything but a 2xx does. */
  request<T>(request: ApiRequest): Promise<Reply<T>>;
  /** The same for a body that is no JSON. */
  download(path: string): Promise<Uint8Array>;
  /** A body that goes on and on, read as it comes; it ends after a day at the latest. */
  stream(path: string, headers: Readonly<Record<string, string>>): Promise<AsyncIterable<Uint8Array>>;
}

export interface ApiOptions {
  readonly baseUrl: string;
  /** Sent as a bearer token, null to send none. Never repeated in a message. */
  readonly bearer: string | null;
  /** What to do when the server refuses the credential, as the end of a sentence. */
  readonly onUnauthorized: string;
  readonly signal?: AbortSignal;
}

/** A body that is read as it is sent has no length of its own: it is told, for the server to refuse at once. */
const counted = (file: Blob, onSent: (sentBytes: number) => void): Body => {
  let sentBytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(octets, controller) {
      sentBytes += octets.length;
      onSent(sentBytes);
      controller.enqueue(octets);
    },
  });
  return { body: file.stream().pipeThrough(count), duplex: 'half', type: { 'content-length': String(file.size) } };
};

interface Body {
  readonly body?: NonNullable<RequestInit['body']>;
  readonly duplex?: 'half';
  readonly type: Record<string, string>;
}

const bodyOf = (request: ApiRequest): Body => {
  if (request.json) return { body: JSON.stringify(request.json), type: { 'content-type': 'application/json' } };
  if (request.form) return { body: new URLSearchParams(request.form), type: {} };
  if (request.file) return request.onSent ? counted(request.file, request.onSent) : { body: request.file, type: {} };
  return { type: {} };
};

const causeOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code || (cause instanceof Error ? cause.message : '');
};

/** The Failure for a request that `error` ended before an answer came. */
export const noAnswer = (baseUrl: string, error: unknown): Failure => {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new Failure(`no answer from ${baseUrl} in time: look at the server's log.`);
  }
  const cause = causeOf(error);
  if (cause === '' || cause === 'ECONNREFUSED') {
    return new Failure(`nothing answers at ${baseUrl}: start it with \`ringcast serve\`, or name another address.`);
  }
  return new Failure(`cannot reach ${baseUrl} (${visible(cause)}): is the address right, and the server running?`);
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The server's own sentence: a problem document's (RFC 9457), or the envelope's of the seed interface. */
const sentenceIn = (body: unknown): string => {
  if (typeof body !== 'object' || body === null) return '';
  const problem = body as { detail?: unknown; title?: unknown };
  const envelope = Object.values(body)[0] as { message?: unknown } | null;
  return text(problem.detail) || text(problem.title) || text(envelope?.message);
};

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    // No JSON, no sentence of the server's to repeat; the caller says what it got instead.
    return undefined;
  }
};

/** What the server says in a body, as a sentence without its full stop; else the status. */
export const saidBy = (baseUrl: string, status: number, body: string): string =>
  visible(sentenceIn(parsed(body))).replace(/\.$/, '') || `${baseUrl} answered with status ${status}`;

const refusal = (options: ApiOptions, response: Response, body: string): Failure => {
  const fix = response.status === 401 && options.bearer !== null ? `: ${options.onUnauthorized}` : '';
  return new Refused(`${saidBy(options.baseUrl, response.status, body)}${fix}.`);
};

const send = async (options: ApiOptions, request: ApiRequest): Promise<Response> => {
  const { type, ...body } = bodyOf(request);
  const authorization = options.bearer === null ? {} : { authorization: `Bearer ${options.bearer}` };
  const timeout = AbortSignal.timeout(request.timeoutMs ?? ANSWER_TIMEOUT_MS);
  try {
    return await fetch(options.baseUrl + request.path, {
      method: request.method,
      // Never follow: a key must not travel to wherever a redirect points.
      redirect: 'manual',
      headers: { ...type, ...authorization, ...request.headers },
      signal: options.signal ? AbortSignal.any([timeout, options.signal]) : timeout,
      ...body,
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw noAnswer(options.baseUrl, error);
  }
};

const exchange = async (options: ApiOptions, request: ApiRequest): Promise<Response> => {
  const response = await send(options, request);
  if (response.ok) return response;
  throw refusal(options, response, await response.text());
};

const readReply = async <T>(options: ApiOptions, response: Response): Promise<Reply<T>> => {
  const body = await response.text();
  const value = body === '' ? null : parsed(body);
  if (value === undefined) {
    throw new Failure(`${options.baseUrl} answered with something that is no JSON: is it a Ringcast server?`);
  }
  return { value: value as T, text: body, headers: response.headers };
};

const NOTHING: AsyncIterable<Uint8Array> = (async function* () {})();

/** A client of one HTTP API. The waits are bounded, redirects refused. */
export const createApi = (options: ApiOptions): Api => ({
  baseUrl: options.baseUrl,
  request: async <T>(request: ApiRequest) => readReply<T>(options, await exchange(options, request)),
  stream: async (path, headers) => {
    const request = { method: 'GET', path, headers, timeoutMs: STREAM_TIMEOUT_MS };
    return (await exchange(options, request)).body ?? NOTHING;
  },
  download: async (path) => {
    const request = { method: 'GET', path, timeoutMs: UPLOAD_TIMEOUT_MS };
    return new Uint8Array(await (await exchange(options, request)).arrayBuffer());
  },
});
