import { NO_RTP } from '../../src/domain/call.ts';
import type { ClaimRequest, Store, Transaction } from '../../src/domain/store-port.ts';
import type { StoreFixture } from '../../test/support/store-fixture.ts';
import { application, blast, claim, network } from '../../test/support/store-fixture.ts';
import type { BenchRow } from '../bench.ts';

const APPLICATIONS = 10;
const BLASTS = 1000;
const CLAIMS = 100;

/** What a claim costs behind so many waiting calls of 1,000 blasts of 10 applications. */
export const claimCost = async (name: string, fixture: StoreFixture, waiting: number): Promise<BenchRow> => {
  await fill(fixture, waiting);
  const ofOne = await claims(fixture.store, { limit: 1 });
  const ofFifty = await claims(fixture.store, { limit: 50 });
  return { database: name, 'calls waiting': waiting, '1 call, ms p50': ofOne, '50 calls, ms p50': ofFifty };
};

const claims = async (store: Store, changes: Partial<ClaimRequest>): Promise<number> => {
  const took: number[] = [];
  for (let at = 0; at < CLAIMS; at++) {
    const startedAtMs = performance.now();
    const claimed = await store.transact((tx) => tx.claimCalls(claim(changes)));
    took.push(performance.now() - startedAtMs);
    // What is in progress costs too: it is not what is measured here.
    for (const { attemptId } of claimed) await store.transact((tx) => tx.recordOutcome(attemptId, ENDED));
  }
  return Number(took.sort((a, b) => a - b)[CLAIMS / 2]?.toFixed(2));
};

const ENDED = {
  outcome: 'busy',
  sipStatus: 486,
  sipReason: null,
  codec: null,
  framesSent: [],
  rtp: NO_RTP,
  digits: [],
  hungUpAt: null,
} as const;

/** Blasts of one call each, and the rest of the calls as copies of these. */
const fill = async (fixture: StoreFixture, waiting: number): Promise<void> => {
  const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
  for (let at = 0; at < APPLICATIONS; at++) await transact((tx) => tx.createApplication(application({ id: `a${at}` })));
  await transact((tx) => tx.createNetwork(network({ applicationIds: [] })));
  if (waiting === 0) return;
  for (let at = 0; at < BLASTS; at++)
    await transact((tx) => tx.insertBlast(blast({ id: `b${at}`, applicationId: `a${at % APPLICATIONS}` })));
  await fixture.sql(
    `insert into calls (id, blast_id, position, destination, state, queue_seq, turn, due_at, dial_by, attempt_count)
    with recursive copy(number) as (select 2 union all select number + 1 from copy where number < ?)
    select blast_id || '-' || number, blast_id, number, 'sip:' || blast_id || '-' || number || '@x', state, queue_seq,
      turn + number - 1, due_at, dial_by, attempt_count from calls, copy`,
    waiting / BLASTS,
  );
  await fixture.sql("update calls set destination = 'sip:' || id || '@x' where position = 1");
  await fixture.sql('update blasts set unfinished_calls = ?', waiting / BLASTS);
};
