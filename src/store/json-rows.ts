import type { RawBuilder } from 'kysely';

/**
 * Rows that come as one value, a JSON list of objects, in the words of a database: the table `name` with these columns.
 * So a statement stays the same, and prepared, however many rows it gets.
 */
export type JsonRows = (
  json: string,
  name: string,
  columns: Readonly<Record<string, 'text' | 'bigint'>>,
) => RawBuilder<unknown>;
