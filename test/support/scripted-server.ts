import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
}

export interface ScriptedServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  close(): Promise<void>;
}

/** A real HTTP server on loopback that answers what `answer` says and remembers what it was asked. */
export const startScriptedServer = async (
  answer: (request: SeenRequest) => ScriptedAnswer,
): Promise<ScriptedServer> => {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const asked = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: (await buffer(request)).toString('utf8'),
    };
    seen.push(asked);
    const { status = 200, headers = {}, json, body } = answer(asked);
    response.writeHead(status, json === undefined ? headers : { 'content-type': 'application/json', ...headers });
    response.end(json === undefined ? body : JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
