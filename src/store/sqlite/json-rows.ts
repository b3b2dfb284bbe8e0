import { sql } from 'kysely';
import type { JsonRows } from '../json-rows.ts';

export const sqliteJsonRows: JsonRows = (json, name, columns) => {
  const values = Object.keys(columns).map((column) => sql`value ->> ${sql.lit(column)} as ${sql.ref(column)}`);
  return sql`(select ${sql.join(values)} from json_each(${json})) as ${sql.ref(name)}`;
};
