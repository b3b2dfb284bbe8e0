import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { DefaultHttpStack, type HttpRequest, type HttpResponse, type HttpStack } from 'tus-js-client';
import { ANSWER_TIMEOUT_MS, UPLOAD_TIMEOUT_MS } from './api-client.ts';

/** How long nothing may move while a part is being sent. */
const STALL_TIMEOUT_MS = 30_000;

/**
 * HTTP for tus-js-client with bounded waits. Its own waits without end for a line that falls silent, or that is cut
 * in the middle of an answer, and lets the error of a file that can no longer be read end the process.
 */
export const boundedHttpStack = (): HttpStack => {
  const stack = new DefaultHttpStack({});
  return {
    getName: () => 'bounded',
    createRequest: (method, url) => bounded(stack.createRequest(method, url)),
  };
};

const bounded = (request: HttpRequest): HttpRequest => {
  const send = request.send.bind(request);
  request.send = (body: unknown): Promise<HttpResponse> => {
    const answer = send(body);
    const line: ClientRequest = request.getUnderlyingObject();
    if (body instanceof Readable) body.on('error', (error) => line.destroy(error));
    return Promise.race([answer, untilBroken(line, request.getMethod())]);
  };
  return request;
};

const untilBroken = (line: ClientRequest, method: string): Promise<never> =>
  new Promise((_resolve, reject) => {
    line.setTimeout(STALL_TIMEOUT_MS);
    line.once('finish', () => line.setTimeout(method === 'PATCH' ? UPLOAD_TIMEOUT_MS : ANSWER_TIMEOUT_MS));
    line.once('timeout', () => line.destroy(new DOMException('Nothing moved in time.', 'TimeoutError')));
    line.once('error', reject);
    line.once('response', (response: IncomingMessage) => response.once('error', reject));
  });
