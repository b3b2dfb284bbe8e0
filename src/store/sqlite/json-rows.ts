import { sql } from 'kysely';
import type { JsonRows } from '../json-rows.ts';

export const sqliteJsonRows: JsonRows = (json, name, columns) => {
  const values = Object.entries(columns).map(([column, type]) => {
    const value = sql`value ->> ${sql.lit(column)}`;
    return sql`${type === 'bytea' ? sql`unhex(substr(${value}, 3))` : value} as ${sql.ref(column)}`;
  });
  return sql`(select ${sql.join(values)} from json_each(${json})) as ${sql.ref(name)}`;
};
