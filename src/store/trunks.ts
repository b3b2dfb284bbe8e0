import type { Selectable } from 'kysely';
import { AppError } from '../domain/app-error.ts';
import type { NewTrunk, Transaction, Views } from '../domain/store-port.ts';
import type { Trunk } from '../domain/trunk.ts';
import type { Context } from './context.ts';
import { listed, windowOf } from './page.ts';
import { insertUnderId, parseJson } from './rows.ts';
import type { Schema } from './schema.ts';

/** The column knows no null, and nobody listens on port 0. */
const PORT_BY_DNS = 0;

const trunkOf = (row: Selectable<Schema['trunks']>): Trunk => ({
  id: row.id,
  host: row.host,
  port: row.port === PORT_BY_DNS ? null : row.port,
  transport: row.transport as Trunk['transport'],
  username: row.username,
  hasPassword: row.password !== null,
  callerId: row.caller_id,
  allowedPrefixes: parseJson(row.allowed_prefixes),
  maxConcurrentCalls: row.max_concurrent_calls,
  callsPerSecond: row.calls_per_second,
  codecs: parseJson(row.codecs),
  register: row.register === 1,
  srtp: row.srtp as Trunk['srtp'],
  comedia: row.comedia === 1,
  healthCheck: row.health_check as Trunk['healthCheck'],
  createdAt: row.created_at,
});

const passwordContext = (id: string): string => `trunk ${id} password`;

export const trunkViews = ({
  db,
  vault,
}: Context): Pick<Views, 'findTrunk' | 'listTrunks' | 'findTrunkCredentials'> => ({
  async findTrunk(id) {
    const row = await db.selectFrom('trunks').selectAll().where('id', '=', id).executeTakeFirst();
    return row ? trunkOf(row) : null;
  },
  async listTrunks(page) {
    const window = windowOf(page);
    const rows = await db
      .selectFrom('trunks')
      .selectAll()
      .where('seq', '<', window.before)
      .orderBy('seq', 'desc')
      .limit(window.take)
      .execute();
    const { items, next } = listed(rows, window);
    return { items: items.map(trunkOf), next };
  },
  async findTrunkCredentials(id) {
    const row = await db.selectFrom('trunks').select(['username', 'password']).where('id', '=', id).executeTakeFirst();
    if (!row || row.username === null || row.password === null) return null;
    return { username: row.username, password: vault.unseal(row.password, passwordContext(id)) };
  },
});

export const trunkVerbs = (context: Context): Pick<Transaction, 'createTrunk' | 'replaceTrunk' | 'deleteTrunk'> => ({
  createTrunk: (trunk) => createTrunk(context, trunk),
  async replaceTrunk(id, trunk) {
    const { numUpdatedRows } = await context.db
      .updateTable('trunks')
      .set(valuesOf(context, id, trunk))
      .where('id', '=', id)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },
  deleteTrunk: (id) => deleteTrunk(context, id),
});

const valuesOf = ({ vault }: Context, id: string, trunk: NewTrunk) => ({
  host: trunk.host,
  port: trunk.port ?? PORT_BY_DNS,
  transport: trunk.transport,
  username: trunk.username,
  ...passwordOf(vault, id, trunk),
  caller_id: trunk.callerId,
  allowed_prefixes: JSON.stringify(trunk.allowedPrefixes),
  max_concurrent_calls: trunk.maxConcurrentCalls,
  calls_per_second: trunk.callsPerSecond,
  codecs: JSON.stringify(trunk.codecs),
  register: Number(trunk.register),
  srtp: trunk.srtp,
  comedia: Number(trunk.comedia),
  health_check: trunk.healthCheck,
});

/** Nothing if it is to stay as it is. */
const passwordOf = (vault: Context['vault'], id: string, { password }: NewTrunk): { password?: string | null } => {
  if (password === undefined) return {};
  return { password: password === null ? null : vault.seal(password, passwordContext(id)) };
};

const createTrunk = async (context: Context, trunk: NewTrunk): Promise<string> => {
  const created_at = await context.nowMs();
  return insertUnderId(context, 'trunk', trunk.id, async (id) => {
    const { numInsertedOrUpdatedRows } = await context.db
      .insertInto('trunks')
      .values({ id, ...valuesOf(context, id, trunk), created_at })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  });
};

const deleteTrunk = async ({ db }: Context, id: string): Promise<boolean> => {
  const user = await db
    .selectFrom('network_trunks')
    .select('network_id')
    .where('trunk_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  if (user)
    throw new AppError('in_use', `Network ${user.network_id} uses trunk ${id}. Take it out of the network first.`);
  const { numDeletedRows } = await db.deleteFrom('trunks').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
};
