import { sql } from 'kysely';
import type { Context } from './context.ts';
import type { ColumnTypes } from './json-rows.ts';
import { prepared } from './prepared.ts';
import type { Schema } from './schema.ts';

type Row<C> = { readonly [name in keyof C]: string | number | null };

/** Inserts any number of rows by one statement, which stays the same, and prepared. `onConflict` is a clause of it. */
export const rowInserter = <C extends ColumnTypes>(
  { db, jsonRows }: Context,
  table: keyof Schema,
  columns: C,
  onConflict = sql``,
): ((rows: readonly Row<C>[]) => Promise<void>) => {
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  // SQLite takes `on conflict` for a part of `from` where nothing stands between them.
  const insert = prepared(db, ({ json }: { json: string }) =>
    sql`insert into ${sql.table(table)} (${names}) select ${names} from ${jsonRows(json, 'added', columns)} where true
      ${onConflict}`.compile(db),
  );
  return async (rows) => {
    if (rows.length > 0) await insert({ json: JSON.stringify(rows) });
  };
};
