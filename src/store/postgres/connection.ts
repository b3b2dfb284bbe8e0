import { Socket } from 'node:net';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Transaction, Views } from '../../domain/store-port.ts';
import { transactionOf, viewsOf } from '../assemble.ts';
import { NO_ROW_LOCKS } from '../row-locks.ts';
import type { Db, Schema } from '../schema.ts';
import type { Vault } from '../vault.ts';
import { unavailable } from './errors.ts';
import { POSTGRES_ROW_LOCKS } from './row-locks.ts';

/** A client whose line can be ended at once, though the server may have stopped answering. */
export class Client extends pg.Client {
  readonly #socket: Socket;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    // What is asked on a broken line rejects; the event tells nothing more, and unheard it would end the process.
    this.on('error', () => undefined);
  }

  cut(): void {
    this.#socket.destroy();
  }
}

/** A connection, used by one unit of work or view at a time. Every verb rejects if the server refuses or the line breaks. */
export interface Connection {
  readonly db: Db;
  readonly transaction: Transaction;
  readonly views: Views;
  begin(how: 'begin' | 'begin isolation level repeatable read read only'): Promise<void>;
  /** Rejects if the server rolled back instead, as it does after a statement that failed. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** A statement that Kysely has no words for. */
  raw(statement: string): Promise<void>;
  nowMs(): Promise<number>;
  /** When the server last answered, by the monotonic clock. */
  answeredAtMs(): number;
  /** What was asked and is not answered rejects. */
  cut(): void;
}

const CLOCK = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now';

export const connectionOf = (client: Client, vault: Vault): Connection => {
  let answeredAtMs = performance.now();
  let now: Promise<number> | null = null;
  const nameOf = statementNames();
  const ask = async (text: string, values?: readonly unknown[]): Promise<pg.QueryResult> => {
    const answer = await client.query(values ? { name: nameOf(text), text, values: [...values] } : { text });
    answeredAtMs = performance.now();
    return answer;
  };
  const db = kyselyOver(ask);
  /** The clock as it was first read in this transaction, so that all its rows agree. */
  const nowMs = (): Promise<number> => {
    now ??= ask(CLOCK, []).then(({ rows }) => Number(rows[0]?.now));
    return now;
  };
  return {
    db,
    transaction: transactionOf({ db, vault, nowMs, locks: POSTGRES_ROW_LOCKS }),
    views: viewsOf({ db, vault, nowMs, locks: NO_ROW_LOCKS }),
    async begin(how) {
      now = null;
      await ask(how);
    },
    async commit() {
      const { command } = await ask('commit');
      if (command !== 'COMMIT') throw unavailable(new Error(`the server answered ${command} to a commit`));
    },
    rollback: async () => void (await ask('rollback')),
    raw: async (statement) => void (await ask(statement)),
    nowMs,
    answeredAtMs: () => answeredAtMs,
    cut: () => client.cut(),
  };
};

/** Statements that a connection keeps prepared; further ones are parsed each time. */
const MAX_PREPARED = 500;

const statementNames = (): ((text: string) => string | undefined) => {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size === MAX_PREPARED) return known;
    const name = `r${names.size}`;
    names.set(text, name);
    return name;
  };
};

/** Kysely's dialect asks a pool for a client; its pool is this one connection. */
const kyselyOver = (ask: (text: string, values: readonly unknown[]) => Promise<pg.QueryResult>): Db => {
  const query = (text: string, values: readonly unknown[]) => ask(text, values);
  const client = { query, release: () => undefined };
  const pool = { connect: async () => client, end: async () => undefined };
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pool as never }) });
};
