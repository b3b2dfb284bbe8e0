import { sql } from 'kysely';
import type { JsonRows } from '../json-rows.ts';

/** `offset 0` keeps SQLite from merging the two selects, which would parse each row once for each of its columns. */
export const sqliteJsonRows: JsonRows = (json, name, columns) => {
  const rows = sql`(select jsonb(value) as row from json_each(${json}) limit -1 offset 0)`;
  const values = Object.keys(columns).map((column) => sql`row ->> ${sql.lit(column)} as ${sql.ref(column)}`);
  return sql`(select ${sql.join(values)} from ${rows}) as ${sql.ref(name)}`;
};
