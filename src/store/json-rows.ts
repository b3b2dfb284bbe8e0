import type { RawBuilder } from 'kysely';

export type ColumnTypes = Readonly<Record<string, 'text' | 'bigint' | 'double precision'>>;

/**
 * Rows that come as one value, a JSON list of objects, in the words of a database: the table `name` with these columns.
 * So a statement stays the same, and prepared, however many rows it gets.
 */
export type JsonRows = (json: string, name: string, columns: ColumnTypes) => RawBuilder<unknown>;
