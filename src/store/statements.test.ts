import { DatabaseSync } from 'node:sqlite';
import { expect, it, vi } from 'vitest';
import type { StoreFixture } from '../../test/support/store-fixture.ts';
import { blast, claim, network, openSqliteFixture, provision, result } from '../../test/support/store-fixture.ts';
import type { TraceBatch } from '../domain/sip-trace.ts';

const DESTINATIONS = Array.from({ length: 200 }, (_, at) => `sip:${at}@127.0.0.1:5070`);
const END = { address: '127.0.0.1', port: 5060 } as const;

const messageOf = (attemptId: string): TraceBatch['messages'][number] => ({
  attemptId,
  direction: 'sent',
  transport: 'udp',
  local: END,
  remote: END,
  seenAt: 1,
  octets: new TextEncoder().encode('INVITE'),
});

/** So many calls from the claim to the end of their events. */
const call = async ({ store: { transact }, sql }: StoreFixture, calls: number): Promise<void> => {
  const claimed = await transact((tx) => tx.claimCalls(claim({ limit: calls, destinationSpacingMs: 1 })));
  expect(claimed).toHaveLength(calls);
  const messages = claimed.map(({ attemptId }) => messageOf(attemptId));
  await transact((tx) => tx.keepSipMessages({ messages, omitted: [] }));
  for (const { attemptId } of claimed) await transact((tx) => tx.recordOutcome(attemptId, result('busy')));
  await transact((tx) => tx.publishEvents());
  await sql('update events set at = 0');
  await transact((tx) => tx.sweepEvents());
};

it('the statements of calls are the same however many are claimed, traced and swept at once', async () => {
  const fixture = await openSqliteFixture();
  await fixture.store.transact(async (tx) => {
    await provision(tx);
    await tx.replaceNetwork('net', network({ destinations: DESTINATIONS }));
    await tx.insertBlast(blast());
  });
  for (const calls of [1, 8, 40]) await call(fixture, calls);
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  for (const calls of [2, 3, 5, 13, 34]) await call(fixture, calls);
  const statements = prepare.mock.calls.map(([text]) => text).filter((text) => text !== 'update events set at = 0');
  prepare.mockRestore();
  expect(statements).toEqual([]);
  await fixture.close();
});
