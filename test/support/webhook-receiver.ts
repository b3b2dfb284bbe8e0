import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A request as it arrived. */
export interface Received {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails on what is not there
  readonly event: any;
}

/** How a request is answered: by a status, by one with headers, or never. */
export type Answer = number | { readonly status: number; readonly headers: Record<string, string> } | 'never';

/** A receiver of webhooks on loopback. */
export const openReceiver = async (answerOf: (received: Received, nth: number) => Answer = () => 204, port = 0) => {
  const received: Received[] = [];
  const waiters = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const entry = await read(request);
    received.push(entry);
    answer(response, answerOf(entry, received.length));
    for (const wake of waiters) wake();
    waiters.clear();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}/hook`,
    received,
    async until(fits: (received: readonly Received[]) => boolean): Promise<void> {
      while (!fits(received)) await new Promise<void>((resolve) => waiters.add(resolve));
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const read = async (request: IncomingMessage): Promise<Received> => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { id: headers['webhook-id'] ?? '', headers, body, event: JSON.parse(body).data };
};

const answer = (response: ServerResponse, how: Answer): void => {
  if (how === 'never') return;
  const { status, headers } = typeof how === 'number' ? { status: how, headers: {} } : how;
  response.writeHead(status, headers).end();
};

/** Whether the reference library takes the request as signed with the secret; it throws if not. */
export const verified = ({ body, headers }: Received, secret: string): unknown =>
  new Webhook(secret).verify(body, { ...headers });
