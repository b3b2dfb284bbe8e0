import { Socket } from 'node:net';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Transaction, Views } from '../../domain/store-port.ts';
import { transactionOf, viewsOf } from '../assemble.ts';
import type { Context } from '../context.ts';
import { NO_ROW_LOCKS } from '../row-locks.ts';
import type { Db, Schema } from '../schema.ts';
import { unavailable } from './errors.ts';
import { postgresJsonRows } from './json-rows.ts';
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

  /** What is asked in this turn of the event loop goes out as one. */
  gather(): void {
    if (this.#socket.writableCorked > 0) return;
    this.#socket.cork();
    process.nextTick(() => this.#socket.uncork());
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
  /** Begins a transaction; whether that went well shows at the latest at its end. */
  begin(how: 'begin' | 'begin isolation level repeatable read read only'): void;
  /** Rejects if the server rolled back instead, as it does after a statement that failed. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** A statement that Kysely has no words for. */
  raw(statement: string): Promise<void>;
  /** The clock as it was when the transaction began, so that all its rows agree. */
  nowMs(): Promise<number>;
  /** When the server last answered, by the monotonic clock. */
  answeredAtMs(): number;
  /** What was asked and is not answered rejects. */
  cut(): void;
}

/** What the connections of a store share. */
export type ConnectionOf = Pick<Context, 'vault' | 'nodeId' | 'ahead'>;

const CLOCK = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now';

export const connectionOf = (client: Client, { vault, nodeId, ahead }: ConnectionOf): Connection => {
  let answeredAtMs = performance.now();
  let begun: Promise<number> = Promise.resolve(Number.NaN);
  const nameOf = statementNames();
  const ask = async (text: string, values?: readonly unknown[]): Promise<pg.QueryResult> => {
    client.gather();
    const answer = await client.query(values ? { name: nameOf(text), text, values: [...values] } : { text });
    answeredAtMs = performance.now();
    return answer;
  };
  const db = kyselyOver(ask);
  const context = {
    db,
    vault,
    nodeId,
    jsonRows: postgresJsonRows,
    nowMs: async () => (await begun) - ahead.ms,
    readClockMs: async () => (await ask(CLOCK)).rows[0]?.now ?? Number.NaN,
    ahead,
  };
  return {
    db,
    transaction: transactionOf({ ...context, locks: POSTGRES_ROW_LOCKS }),
    views: viewsOf({ ...context, locks: NO_ROW_LOCKS }),
    begin(how) {
      begun = ask(`${how}; ${CLOCK}`).then(clockOf);
      // Heard at the end of the transaction.
      begun.catch(() => undefined);
    },
    async commit() {
      await begun;
      const { command } = await ask('commit');
      if (command !== 'COMMIT') throw unavailable(new Error(`the server answered ${command} to a commit`));
    },
    rollback: async () => void (await ask('rollback')),
    raw: async (statement) => void (await ask(statement)),
    nowMs: context.nowMs,
    answeredAtMs: () => answeredAtMs,
    cut: () => client.cut(),
  };
};

/** Of the answers to two statements in one, which the types of `pg` do not know of, the second. */
const clockOf = (answers: unknown): number => {
  const [, clock] = answers as readonly [unknown, pg.QueryResult<{ now: number }>];
  return clock.rows[0]?.now ?? Number.NaN;
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
