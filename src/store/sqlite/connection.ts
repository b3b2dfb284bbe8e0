import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, type SqliteDatabase, type SqliteStatement } from 'kysely';
import type { Schema } from '../schema.ts';
import { CastLimitDialect } from './dialect.ts';

/** Statements that a connection keeps compiled; the one longest unused makes room. */
const MAX_STATEMENTS = 500;

/** A connection by both its names: `raw` for what Kysely has no words for. */
export interface Connection {
  readonly raw: DatabaseSync;
  readonly db: Kysely<Schema>;
}

/** Opens a connection. With `readOnly` the file must exist. */
export const connect = (path: string, options: { readOnly: boolean }): Connection => {
  const raw = new DatabaseSync(path, { readOnly: options.readOnly, timeout: 5000, enableForeignKeyConstraints: true });
  return { raw, db: new Kysely<Schema>({ dialect: new CastLimitDialect({ database: adapt(raw) }) }) };
};

/** Shows `node:sqlite` to Kysely as the driver that its SQLite dialect was written for. */
const adapt = (raw: DatabaseSync): SqliteDatabase => {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => raw.close(),
    prepare(sql) {
      const statement = statements.get(sql) ?? adaptStatement(raw.prepare(sql));
      statements.delete(sql);
      statements.set(sql, statement);
      if (statements.size > MAX_STATEMENTS) statements.delete(statements.keys().next().value ?? '');
      return statement;
    },
  };
};

const adaptStatement = (statement: StatementSync): SqliteStatement => ({
  reader: statement.columns().length > 0,
  all: (parameters) => statement.all(...(parameters as readonly SQLInputValue[])),
  run: (parameters) => statement.run(...(parameters as readonly SQLInputValue[])),
  iterate: (parameters) => statement.iterate(...(parameters as readonly SQLInputValue[])),
});
