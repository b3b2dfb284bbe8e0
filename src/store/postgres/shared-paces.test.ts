import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createDatabase, postgresOfThisRun } from '../../../test/support/postgres-of-this-run.ts';
import { QUIET_LOG } from '../../../test/support/quiet-log.ts';
import { application, blast, claim, network, provision, trunk } from '../../../test/support/store-fixture.ts';
import { openPostgresStore } from '../open-postgres-store.ts';
import { openVault } from '../vault.ts';

const RATE = 50;
const NODES = 3;
const ROUNDS = 60;
/** How much time is made to pass between two rounds, by moving the ledger back. */
const ROUND_MS = 100;

const server = await postgresOfThisRun();

test.skipIf(server === null)('three nodes together keep to the rate of a trunk, in any second', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-paces-'));
  const { url, drop } = await createDatabase(server ?? '');
  const vault = await openVault(directory);
  const open = () => openPostgresStore({ url, vault, log: QUIET_LOG });
  const first = await open();
  const stores = [first, await open(), await open()].slice(0, NODES);
  const destinations = Array.from({ length: 400 }, (_, at) => `+1555${at}`);
  await first.transact(async (tx) => {
    await provision(tx);
    await tx.createTrunk(trunk());
    await tx.createNetwork(network({ id: 'many', destinations, trunkIds: ['trunk'], applicationIds: [] }));
    await tx.createApplication(application({ id: 'other' }));
    await tx.insertBlast(blast({ id: 'a', networkId: 'many' }));
  });
  const backDoor = new pg.Client({ connectionString: url });
  await backDoor.connect();
  const trunks = new Map([['trunk', { maxConcurrentCalls: null, callsPerSecond: RATE }]]);
  const slots: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const claims = await Promise.all(stores.map((store) => store.transact((tx) => tx.claimCalls(claim({ trunks })))));
    slots.push(...claims.flat().map(({ dialAt }) => dialAt + round * ROUND_MS));
    await backDoor.query('update paces set next_at = next_at - $1', [ROUND_MS]);
  }
  slots.sort((a, b) => a - b);
  const most = Math.max(...slots.map((from) => slots.filter((at) => at >= from && at < from + 1000).length));
  // Every round has time for about five calls, and has them: two in a hundred less than the rate.
  expect(slots.length).toBeGreaterThanOrEqual(Math.floor((ROUNDS * ROUND_MS * RATE) / 1020));
  expect(most).toBeLessThanOrEqual(RATE + 1);
  await backDoor.end();
  for (const store of stores) await store.close();
  await drop();
  await rm(directory, { recursive: true });
});
