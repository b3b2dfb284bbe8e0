import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { dailyWork } from '../../../test/support/daily-work.ts';
import { DIALECTS } from '../../../test/support/dialects.ts';
import type { StoreFixture } from '../../../test/support/store-fixture.ts';
import { provision, trunk } from '../../../test/support/store-fixture.ts';

/** A scan of a table that grows; it is no walk with a condition for its index, or the first rows only. */
const SCAN =
  /Scan.* on (calls|blasts|attempts|events|webhook_deliveries|network_destinations|idempotency|paces|grants|nodes|sip_messages)\b/;
const CONDITION = /Index Cond:/;
const FIRST_ROWS = /^ *(-> +)?(Limit|LockRows)/;
/** What reads all that is in progress, or being unfolded, has an index that holds no more than that. */
const IN_PROGRESS = /using (attempts_load|calls_in_progress|blasts_unsettled) /;

const isWalk = (line: string, at: number, plan: readonly string[]): boolean =>
  SCAN.test(line) &&
  !CONDITION.test(plan[at + 1] ?? '') &&
  !FIRST_ROWS.test(plan[at - 1] ?? '') &&
  !(IN_PROGRESS.test(line) && !/^(Update|Delete) on/.test(plan[0] ?? ''));

/** Statements that the store keeps prepared for its daily work. */
const preparedFor = async ({ store }: StoreFixture): Promise<readonly string[]> => {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await dailyWork(store);
  const asked = query.mock.calls.map(([question]) => question as unknown as { name?: string; text: string });
  query.mockRestore();
  return [...new Set(asked.filter(({ name }) => name !== undefined).map(({ text }) => text))];
};

const CALLS = `insert into calls (id, blast_id, position, destination, state, queue_seq, turn, due_at, dial_by, attempt_count)
  select 'more' || n, 'blast', n, 'sip:' || n, 'waiting', 1, n, 0, 10000000000000, 0 from generate_series(2, 20000) as n`;

for (const { open } of DIALECTS.filter(({ name }) => name === 'PostgreSQL'))
  describe('plans on PostgreSQL', () => {
    it('go by an index, made before there are rows or with rows that were never counted', async () => {
      const fixture = await open();
      await fixture.store.transact(async (tx) => {
        await provision(tx);
        await tx.createTrunk(trunk());
      });
      const statements = await preparedFor(fixture);
      expect(statements.length).toBeGreaterThan(40);
      await fixture.sql('set enable_seqscan = off; set enable_bitmapscan = off');
      const slow: string[] = [];
      const explain = async (): Promise<void> => {
        for (const text of statements) {
          const rows = await fixture.sql(`explain (generic_plan, costs off) ${text}`);
          const plan = rows.map((row) => String(row['QUERY PLAN']));
          if (plan.some(isWalk) || plan.some((line) => line.includes('Join Filter')))
            slow.push([text, ...plan].join('\n'));
        }
      };
      await explain();
      await fixture.sql(CALLS);
      await explain();
      expect(slow).toEqual([]);
    });
  });
