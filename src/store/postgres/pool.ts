import pg from 'pg';
import { Client, type Connection, type ConnectionOf, connectionOf } from './connection.ts';

/** Connections of one node. More would only wait for one another in the server: two cores are busy with eight. */
const MAX_CONNECTIONS = 8;
/** How long to wait for a connection, new or given back by another unit. */
export const CONNECT_TIMEOUT_MS = 4000;
/** Longer than any statement may take, shorter than a lease: a node that stops in mid-transaction holds up nobody. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 4000;

/**
 * Every statement of the store has its index, and plans are kept for the life of a connection: made while a table is
 * still empty they would scan it for ever.
 */
const OPTIONS = '-c enable_seqscan=off -c enable_bitmapscan=off -c plan_cache_mode=force_generic_plan';

/** By the number of the type (pg_type.dat): counts and times fit a number, all are far below 2^53; octets are octets. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  17: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  20: Number,
};
const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
};

export interface Lent {
  readonly connection: Connection;
  /** Gives the connection back, or ends it, and with it those that have not answered since and may be broken too. */
  giveBack(isSound: boolean): void;
}

export interface Pool {
  /** Rejects if there is no connection within `CONNECT_TIMEOUT_MS`. */
  lend(): Promise<Lent>;
  /** Units that wait for a connection. */
  waiting(): number;
  close(): Promise<void>;
}

export const openPool = (url: string, of: ConnectionOf): Pool => {
  const pool = new pg.Pool({
    connectionString: url,
    Client,
    pipeline: true,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 0,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    options: OPTIONS,
    application_name: 'ringcast',
    keepAlive: true,
    types: TYPES,
  } as pg.PoolConfig);
  // An idle connection that breaks is dropped, and the next unit makes another.
  pool.on('error', () => undefined);
  const connections = new WeakMap<pg.PoolClient, Connection>();
  let brokenAtMs = Number.NEGATIVE_INFINITY;

  const take = async (): Promise<Lent> => {
    const client = await pool.connect();
    if (!(client instanceof Client)) throw new TypeError('the pool made a client of another kind');
    const connection = connections.get(client) ?? connectionOf(client, of);
    connections.set(client, connection);
    return {
      connection,
      giveBack(isSound) {
        if (!isSound) connection.cut();
        client.release(!isSound);
      },
    };
  };
  return {
    async lend() {
      for (;;) {
        const { connection, giveBack } = await take();
        if (connection.answeredAtMs() < brokenAtMs) giveBack(false);
        else
          return {
            connection,
            giveBack(isSound) {
              if (!isSound) brokenAtMs = performance.now();
              giveBack(isSound);
            },
          };
      }
    },
    waiting: () => pool.waitingCount,
    close: () => pool.end(),
  };
};
