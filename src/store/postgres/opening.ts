import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../domain/ports.ts';
import { migrate } from '../migrate.ts';
import type { Vault } from '../vault.ts';
import { requireSameVault } from '../vault-check.ts';
import type { Connection } from './connection.ts';
import { POSTGRES_DDL } from './ddl.ts';
import { sqlState } from './errors.ts';
import type { Lent, Pool } from './pool.ts';

/** A server that starts together with us is waited for so many times. */
const TRIES = 10;
const BETWEEN_TRIES_MS = 1000;

/**
 * Waits for the server and brings the schema up to date: one node at a time, whoever else starts. Throws an Error with
 * one sentence that names the variable and the fix.
 */
export const prepareDatabase = async (pool: Pool, vault: Vault, name: string, log: Log): Promise<void> => {
  const { connection, giveBack } = await firstConnection(pool, name, log);
  let isSound = false;
  try {
    await updateSchema(connection, vault, name);
    isSound = true;
  } catch (error) {
    throw sqlState(error) === null ? error : explained(name, error);
  } finally {
    giveBack(isSound);
  }
};

const firstConnection = async (pool: Pool, name: string, log: Log): Promise<Lent> => {
  for (let tried = 1; ; tried++) {
    try {
      return await pool.lend();
    } catch (error) {
      if (tried === TRIES || !mayComeUp(error)) throw explained(name, error);
      log.warn({ database: name, reason: reasonOf(error) }, 'the database cannot be reached yet');
      await delay(BETWEEN_TRIES_MS);
    }
  }
};

/** SQLSTATE of a server that starts or stops: `cannot_connect_now`. */
const STARTING = '57P03';

/** Refused or lost: perhaps it is still starting. What the server itself refuses stays refused. */
const mayComeUp = (error: unknown): boolean => [null, STARTING].includes(sqlState(error));

/** Any number, the same in every version. */
const MIGRATION_LOCK = 7_262_671;

const updateSchema = async (
  { begin, commit, raw, db, nowMs }: Connection,
  vault: Vault,
  name: string,
): Promise<void> => {
  begin('begin');
  await raw('set local statement_timeout = 0');
  await raw(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  await migrate(db, POSTGRES_DDL, { path: name, nowMs: await nowMs() });
  await requireSameVault(db, vault, name);
  await commit();
};

const explained = (name: string, error: unknown): Error =>
  new Error(
    `The database ${name} cannot be used (${reasonOf(error)}): check that the server runs, and user, password and database in RINGCAST_DATABASE_URL.`,
    { cause: error },
  );

const reasonOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
};
