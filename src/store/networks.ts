import type { Network } from '../domain/network.ts';
import type { Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { listed, windowOf } from './page.ts';
import { prepared } from './prepared.ts';
import { targetFinder, uriFinder } from './routes.ts';
import { NO_ROW_LOCKS } from './row-locks.ts';
import { groupBy } from './rows.ts';

const COLUMNS = ['networks.seq', 'networks.id', 'networks.name', 'networks.caller_id', 'networks.created_at'] as const;

interface Row {
  id: string;
  name: string;
  caller_id: string | null;
  created_at: number;
}

type NetworkViews = Pick<Views, 'findNetwork' | 'listNetworks' | 'isAssociated' | 'findRoutes' | 'listDirectUris'>;

export const networkViews = (context: Context): NetworkViews => ({
  async findNetwork(id) {
    const rows = await context.db.selectFrom('networks').select(COLUMNS).where('id', '=', id).execute();
    return (await networksOf(context, rows))[0] ?? null;
  },
  async listNetworks(page, applicationId) {
    const window = windowOf(page);
    const rows = await context.db
      .selectFrom('networks')
      .select(COLUMNS)
      .where('seq', '<', window.before)
      .$if(applicationId !== undefined, (query) =>
        query
          .innerJoin('network_applications as owner', 'owner.network_id', 'networks.id')
          .where('owner.application_id', '=', applicationId ?? ''),
      )
      .orderBy('seq', 'desc')
      .limit(window.take)
      .execute();
    const { items, next } = listed(rows, window);
    return { items: await networksOf(context, items), next };
  },
  listDirectUris: (limit) => listDirectUris(context, limit),
  ...routeViews(context),
});

const routeViews = (context: Context): Pick<Views, 'findRoutes' | 'isAssociated'> => {
  const { db } = context;
  const findTarget = targetFinder({ db, locks: NO_ROW_LOCKS });
  const findUris = uriFinder(context);
  const association = prepared(db, (pair: { networkId: string; applicationId: string }) =>
    db
      .selectFrom('network_applications')
      .select('network_id')
      .where('application_id', '=', pair.applicationId)
      .where('network_id', '=', pair.networkId)
      .compile(),
  );
  return {
    // No id is blank: a caller that is not known is looked up all the same.
    async isAssociated(networkId, applicationId) {
      return (await association({ networkId, applicationId: applicationId ?? '' })).rows.length > 0;
    },
    async findRoutes(networkId) {
      const target = await findTarget(networkId);
      if (!target) return null;
      const { trunkIds, destinationCount } = target;
      return { trunkIds, directUris: trunkIds.length > 0 ? [] : await findUris(networkId), destinationCount };
    },
  };
};

const networksOf = async ({ db }: Context, rows: readonly Row[]): Promise<readonly Network[]> => {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const destinations = await db
    .selectFrom('network_destinations')
    .select(['network_id', 'destination'])
    .where('network_id', 'in', ids)
    .orderBy('network_id')
    .orderBy('position')
    .execute();
  const trunks = await db
    .selectFrom('network_trunks')
    .select(['network_id', 'trunk_id'])
    .where('network_id', 'in', ids)
    .orderBy('network_id')
    .orderBy('position')
    .execute();
  const applications = await db
    .selectFrom('network_applications')
    .select(['network_id', 'application_id'])
    .where('network_id', 'in', ids)
    .orderBy('application_id')
    .execute();
  const networkOf = (row: { network_id: string }): string => row.network_id;
  const destinationsOf = groupBy(destinations, networkOf, (row) => row.destination);
  const trunksOf = groupBy(trunks, networkOf, (row) => row.trunk_id);
  const applicationsOf = groupBy(applications, networkOf, (row) => row.application_id);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    destinations: destinationsOf.get(row.id) ?? [],
    trunkIds: trunksOf.get(row.id) ?? [],
    callerId: row.caller_id,
    applicationIds: applicationsOf.get(row.id) ?? [],
    createdAt: row.created_at,
  }));
};

const listDirectUris = async ({ db }: Context, limit: number): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom('network_destinations')
    .select('destination')
    .distinct()
    .where('destination', 'like', 'sip%')
    .where('network_id', 'in', (eb) =>
      eb
        .selectFrom('networks')
        .select('id')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('network_trunks').select('trunk_id').whereRef('network_trunks.network_id', '=', 'networks.id'),
            ),
          ),
        ),
    )
    .limit(limit)
    .execute();
  return rows.map((row) => row.destination);
};
