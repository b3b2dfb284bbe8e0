import { sql } from 'kysely';
import type { JsonRows } from '../json-rows.ts';

export const postgresJsonRows: JsonRows = (json, name, columns) => {
  const types = Object.entries(columns).map(([column, type]) => sql`${sql.ref(column)} ${sql.raw(type)}`);
  return sql`json_to_recordset(cast(${json} as json)) as ${sql.ref(name)}(${sql.join(types)})`;
};
