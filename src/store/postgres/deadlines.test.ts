import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Store } from '../../domain/store-port.ts';
import type { Connection } from './connection.ts';
import { openPool, type Pool } from './pool.ts';
import { transactOver, viewOver } from './transact.ts';

/** While the database is away, requests are answered within so long. */
const PROMISED_MS = 5000;
const UNAVAILABLE = { code: 'store_unavailable' };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What became of it so far; a rejection is not left unheard. */
const watched = (promise: Promise<unknown>): { error: unknown } => {
  const state = { error: null as unknown };
  promise.catch((error: unknown) => {
    state.error = error;
  });
  return state;
};

/** A connection that answers at once until `silentFromMs`, and then no more. */
const fallingSilent = (silentFromMs: number) => {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  const startedAtMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedAtMs;
  const ask = async (): Promise<void> => (elapsedMs() < silentFromMs ? undefined : broken);
  const connection = {
    begin: () => undefined,
    commit: ask,
    rollback: ask,
    answeredAtMs: () => startedAtMs + Math.min(elapsedMs(), silentFromMs),
    cut: () => reject(new Error('cut')),
  };
  /** Asks every 100 ms for ever. */
  const work = async (): Promise<void> => {
    for (;;) {
      await ask();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  return { connection: connection as unknown as Connection, work };
};

/** A pool that lends this connection after a while. */
const lending = (connection: Connection, afterMs: number): Pool => ({
  lend: async () => {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    return { connection, giveBack: () => undefined };
  },
  waiting: () => 0,
  close: async () => undefined,
});

for (const [kind, run] of [
  ['a unit', (pool: Pool): Store['transact'] => transactOver(pool, () => undefined)],
  ['a view', (pool: Pool): Store['view'] => viewOver(pool)],
] as const)
  it.each([
    [0, 0],
    [1, 0],
    [0, 3900],
    [3900, 3900],
    [4400, 0],
    [30_000, 0],
  ])(
    `${kind} is given up within 5 s if the server falls silent after %i ms, lent after %i ms`,
    async (silentFromMs, lentMs) => {
      const { connection, work } = fallingSilent(silentFromMs);
      const given = watched(run(lending(connection, lentMs))(work));
      await vi.advanceTimersByTimeAsync(silentFromMs);
      expect(given.error).toBeNull();
      await vi.advanceTimersByTimeAsync(PROMISED_MS);
      expect(given.error).toMatchObject(UNAVAILABLE);
    },
  );

it('a connection to a server that takes it and says nothing is given up within 5 s, as is the wait for another', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pool = openPool(`postgres://nobody@127.0.0.1:${port}/none`, {
    vault: {} as never,
    nodeId: () => '',
    ahead: { ms: 0 },
  });
  const asked = Array.from({ length: 20 }, () => watched(pool.lend()));
  await once(server, 'connection');
  expect(pool.waiting()).toBeGreaterThan(0);
  await vi.advanceTimersByTimeAsync(PROMISED_MS);
  for (const { error } of asked) expect(error).toBeInstanceOf(Error);
  for (const socket of sockets) socket.destroy();
  server.close();
  await pool.close();
});
