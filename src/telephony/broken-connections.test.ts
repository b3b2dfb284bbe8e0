import { expect, test } from 'vitest';
import { requestOf } from '../../test/support/sip-messages.ts';
import { openBench, openRawServer } from '../../test/support/stream-bench.ts';
import { wakeAfter } from '../clock.ts';
import { createClientTransactions } from '../sip/client-transactions.ts';

const openClients = async () => {
  const { transport } = await openBench();
  const clients = createClientTransactions({ send: transport.send, wakeAfter, limit: 10, portOf: transport.portOf });
  transport.onLost(clients.lose);
  const server = await openRawServer();
  const failed = Promise.withResolvers<string | undefined>();
  const start = (method: string): void =>
    void clients.start(requestOf(method), server.hop, {
      onResponse: () => undefined,
      onFailure: (_failure, error) => failed.resolve(error?.message),
    });
  return { ...server, start, failure: failed.promise };
};

test.each(['INVITE', 'OPTIONS'])('an %s on a connection that the peer ends goes over a new one', async (method) => {
  const { start, sockets, octets, failure } = await openClients();
  start(method);
  const first = await octets.at(0);
  expect(first).toMatch(new RegExp(`^${method} `));
  (await sockets.at(0)).destroy();
  // The same to the octet: whoever has it already takes it for a repetition.
  expect(await octets.at(1)).toBe(first);
  (await sockets.at(1)).destroy();
  expect(await failure).toBe('The connection broke before an answer came.');
  expect(octets.items).toHaveLength(2);
});
