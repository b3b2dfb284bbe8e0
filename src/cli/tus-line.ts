import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { DefaultHttpStack, type HttpRequest, type HttpResponse, type HttpStack } from 'tus-js-client';
import { ANSWER_TIMEOUT_MS, UPLOAD_TIMEOUT_MS } from './api-client.ts';

export interface LineTimeouts {
  /** How long nothing may move while a part is being sent. */
  readonly stallMs: number;
  /** How long the answer to a part may take: the last one is the clip's decoding. */
  readonly partMs: number;
  /** How long any other answer may take. */
  readonly answerMs: number;
}

const TIMEOUTS: LineTimeouts = { stallMs: 30_000, partMs: UPLOAD_TIMEOUT_MS, answerMs: ANSWER_TIMEOUT_MS };

/**
 * HTTP for tus-js-client with bounded waits. Its own waits without end for a line that falls silent, or that is cut
 * in the middle of an answer, lets the error of a file that can no longer be read end the process, and seldom tells
 * that all is sent.
 */
export const boundedHttpStack = (timeouts = TIMEOUTS): HttpStack => {
  const stack = new DefaultHttpStack({});
  return {
    getName: () => 'bounded',
    createRequest: (method, url) => bounded(stack.createRequest(method, url), timeouts),
  };
};

const bounded = (request: HttpRequest, timeouts: LineTimeouts): HttpRequest => {
  const send = request.send.bind(request);
  const setProgressHandler = request.setProgressHandler.bind(request);
  let onProgress: (sentBytes: number) => void = () => undefined;
  request.setProgressHandler = (handler) => {
    onProgress = handler;
    setProgressHandler(handler);
  };
  request.send = (body: unknown): Promise<HttpResponse> => {
    const answer = send(body);
    const line: ClientRequest = request.getUnderlyingObject();
    if (body instanceof Readable) body.on('error', (error) => line.destroy(error));
    if (hasSize(body)) line.once('finish', () => onProgress(body.size));
    return Promise.race([
      answer,
      untilBroken(line, timeouts.stallMs, request.getMethod() === 'PATCH' ? timeouts.partMs : timeouts.answerMs),
    ]);
  };
  return request;
};

/** As the library's slices of a file. */
const hasSize = (body: unknown): body is { readonly size: number } =>
  typeof (body as { size?: unknown } | null)?.size === 'number';

const untilBroken = (line: ClientRequest, stallMs: number, answerMs: number): Promise<never> =>
  new Promise((_resolve, reject) => {
    line.setTimeout(stallMs);
    line.once('finish', () => line.setTimeout(answerMs));
    line.once('timeout', () => line.destroy(new DOMException('Nothing moved in time.', 'TimeoutError')));
    line.once('error', reject);
    line.once('response', (response: IncomingMessage) => response.once('error', reject));
  });
