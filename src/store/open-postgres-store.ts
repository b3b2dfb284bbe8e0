import { AppError } from '../domain/app-error.ts';
import type { Metrics } from '../domain/metrics.ts';
import type { Log } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { databaseName } from './postgres/database-name.ts';
import { prepareDatabase } from './postgres/opening.ts';
import { openPool, type Pool } from './postgres/pool.ts';
import { transactOver, viewOver } from './postgres/transact.ts';
import type { Vault } from './vault.ts';

export interface PostgresStoreOptions {
  /** With user and password; neither password nor parameters are ever shown. */
  readonly url: string;
  readonly vault: Vault;
  readonly log: Log;
  /** Where commits are noted; left out, nowhere. */
  readonly metrics?: Pick<Metrics, 'noteCommit'>;
}

/**
 * Opens the store in a PostgreSQL database, which several nodes may share.
 * Throws an Error with one sentence that names the fix if it cannot be used.
 */
export const openPostgresStore = async ({ url, vault, log, metrics }: PostgresStoreOptions): Promise<Store> => {
  const database = databaseName(url);
  let nodeId = '';
  const pool = openPool(url, { vault, nodeId: () => nodeId, ahead: { ms: 0 } });
  try {
    await prepareDatabase(pool, vault, database, log);
  } catch (error) {
    await pool.close();
    throw error;
  }
  log.info({ database }, 'database open');
  const actAs = (id: string): void => {
    nodeId = id;
  };
  return { ...storeOver(pool, metrics?.noteCommit ?? (() => undefined)), actAs, isShared: true };
};

const storeOver = (pool: Pool, noteCommit: Metrics['noteCommit']): Pick<Store, 'transact' | 'view' | 'close'> => {
  const inProgress = new Set<Promise<unknown>>();
  let closing = false;
  const track = async <T>(run: () => Promise<T>): Promise<T> => {
    if (closing) throw new AppError('store_unavailable', 'The store is closing.');
    const running = run();
    inProgress.add(running);
    try {
      return await running;
    } finally {
      inProgress.delete(running);
    }
  };
  const transact = transactOver(pool, noteCommit);
  const view = viewOver(pool);
  return {
    transact: (work) => track(() => transact(work)),
    view: (work) => track(() => view(work)),
    async close() {
      closing = true;
      await Promise.allSettled(inProgress);
      await pool.close();
    },
  };
};
