import { DatabaseSync } from 'node:sqlite';
import { expect, it, vi } from 'vitest';
import { dailyWork } from '../../test/support/daily-work.ts';
import { openSqliteFixture, provision, trunk } from '../../test/support/store-fixture.ts';

/** Tables that grow with what is called. */
const GROWING =
  'calls|blasts|attempts|events|webhook_deliveries|network_destinations|idempotency|paces|grants|nodes|sip_messages';
/** A walk through a whole table; one through an index that holds only what is looked for is none. */
const SCAN = new RegExp(`^SCAN (${GROWING})( USING (INTEGER PRIMARY KEY|INDEX sqlite_autoindex))?$`);

/** A walk along the primary key, from the oldest row on, that ends soon. */
const FIRST_ROWS = /order by "seq" limit/;
/** What SQLite looks into when it plans a statement: each time that it is bound, the statement is compiled anew. */
const PLANNED_BY_VALUE = / (limit|like) \?/;

it('no statement of the daily work walks through a table that grows, sorts the events, or is compiled each time', async () => {
  const fixture = await openSqliteFixture();
  await fixture.store.transact(async (tx) => {
    await provision(tx);
    await tx.createTrunk(trunk());
  });
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  await dailyWork(fixture.store);
  const statements = [...new Set(prepare.mock.calls.map(([text]) => text))];
  prepare.mockRestore();
  expect(statements.length).toBeGreaterThan(40);
  const slow: string[] = [];
  for (const text of statements) {
    const plan = (await fixture.sql(`explain query plan ${text}`)).map(({ detail }) => String(detail));
    const sortsEvents =
      plan.includes('USE TEMP B-TREE FOR ORDER BY') && plan.some((step) => /^SEARCH events/.test(step));
    const walks = plan.some((step) => SCAN.test(step)) && !FIRST_ROWS.test(text);
    if (walks || sortsEvents || PLANNED_BY_VALUE.test(text)) slow.push(`${text}\n  ${plan.join('\n  ')}`);
  }
  expect(slow).toEqual([]);
  await fixture.close();
});
