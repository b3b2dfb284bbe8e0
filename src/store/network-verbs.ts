import { MAX_DESTINATIONS } from '../domain/network.ts';
import type { NewNetwork, Transaction } from '../domain/store-port.ts';
import { associationVerbs } from './associations.ts';
import type { Context } from './context.ts';
import { insertUnderId, requireRows } from './rows.ts';
import { unfoldNetwork } from './unfold.ts';

/** Rows of one INSERT, so that its parameters stay far below the limits of every database. */
const ROWS_PER_INSERT = 500;

type NetworkVerbs = Pick<
  Transaction,
  'createNetwork' | 'replaceNetwork' | 'addDestinations' | 'deleteNetwork' | 'associateNetwork' | 'dissociateNetwork'
>;

export const networkVerbs = (context: Context): NetworkVerbs => {
  const { associate, dissociate } = associationVerbs(context, 'network');
  return {
    createNetwork: (network) => createNetwork(context, network),
    replaceNetwork: (id, network) => replaceNetwork(context, id, network),
    addDestinations: (id, destinations) => addDestinations(context, id, destinations),
    async deleteNetwork(id) {
      await holdNetwork(context, id);
      const { numDeletedRows } = await context.db.deleteFrom('networks').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
    associateNetwork: associate,
    dissociateNetwork: dissociate,
  };
};

const valuesOf = (network: NewNetwork) => ({
  name: network.name,
  caller_id: network.callerId,
  destination_count: network.destinations.length,
});

const requireNamed = async (context: Context, network: NewNetwork): Promise<void> => {
  await requireRows(context, 'trunks', network.trunkIds, 'trunkIds');
  await requireRows(context, 'applications', network.applicationIds, 'applicationIds');
};

const createNetwork = async (context: Context, network: NewNetwork): Promise<string> => {
  await requireNamed(context, network);
  const created_at = await context.nowMs();
  const created = await insertUnderId(context, 'network', network.id, async (id) => {
    const { numInsertedOrUpdatedRows } = await context.db
      .insertInto('networks')
      .values({ id, ...valuesOf(network), created_at })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  });
  await insertParts(context, created, network);
  return created;
};

const replaceNetwork = async (context: Context, id: string, network: NewNetwork): Promise<boolean> => {
  await requireNamed(context, network);
  const { db } = context;
  await holdNetwork(context, id);
  const { numUpdatedRows } = await db
    .updateTable('networks')
    .set(valuesOf(network))
    .where('id', '=', id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  for (const table of ['network_destinations', 'network_trunks', 'network_applications'] as const)
    await db.deleteFrom(table).where('network_id', '=', id).execute();
  await insertParts(context, id, network);
  return true;
};

/** Added at the end: blasts that have yet to be unfolded keep to the positions that there were. */
const addDestinations = async (context: Context, network_id: string, destinations: readonly string[]) => {
  const { db, locks } = context;
  const row = db.selectFrom('networks').select('destination_count').where('id', '=', network_id);
  const network = await locks.own(row, 'networks').executeTakeFirst();
  if (!network || destinations.length === 0) return { added: 0, surplus: [] };
  const known = await db
    .selectFrom('network_destinations')
    .select('destination')
    .where('network_id', '=', network_id)
    .where('destination', 'in', destinations)
    .execute();
  const has = new Set(known.map(({ destination }) => destination));
  const fresh = destinations.filter((destination) => !has.has(destination));
  const added = fresh.slice(0, Math.max(0, MAX_DESTINATIONS - network.destination_count));
  await insertDestinations(context, network_id, added, network.destination_count);
  const destination_count = network.destination_count + added.length;
  await db.updateTable('networks').set({ destination_count }).where('id', '=', network_id).execute();
  return { added: added.length, surplus: fresh.slice(added.length) };
};

const insertDestinations = async (
  { db }: Context,
  network_id: string,
  destinations: readonly string[],
  from: number,
): Promise<void> => {
  const rows = destinations.map((destination, at) => ({ network_id, position: from + at, destination }));
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
    await db
      .insertInto('network_destinations')
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .execute();
};

/** Nobody accepts a blast to the network until the commit, and those accepted before have all their calls. */
const holdNetwork = async (context: Context, id: string): Promise<void> => {
  const row = context.db.selectFrom('networks').select('id').where('id', '=', id);
  await context.locks.own(row, 'networks').executeTakeFirst();
  await unfoldNetwork(context, id);
};

const insertParts = async (context: Context, network_id: string, network: NewNetwork): Promise<void> => {
  const { db } = context;
  await insertDestinations(context, network_id, network.destinations, 0);
  const trunks = network.trunkIds.map((trunk_id, position) => ({ network_id, position, trunk_id }));
  if (trunks.length > 0) await db.insertInto('network_trunks').values(trunks).execute();
  const applications = [...new Set(network.applicationIds)].map((application_id) => ({ network_id, application_id }));
  if (applications.length > 0) await db.insertInto('network_applications').values(applications).execute();
};
