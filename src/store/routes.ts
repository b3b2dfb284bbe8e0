import { sql } from 'kysely';
import type { Context } from './context.ts';
import { prepared } from './prepared.ts';

/** What a blast needs of its network: where its calls go out, and as whom. */
export interface Target {
  readonly trunkIds: readonly string[];
  readonly callerId: string | null;
  readonly destinationCount: number;
}

/** Finds the target of a blast, null for an unknown network; within a unit it stays as it is until the commit. */
export const targetFinder = ({
  db,
  locks,
}: Pick<Context, 'db' | 'locks'>): ((networkId: string) => Promise<Target | null>) => {
  const trunksOfNetwork = prepared(db, (network: { id: string }) => {
    const target = db
      .selectFrom('networks')
      .leftJoin('network_trunks', 'network_trunks.network_id', 'networks.id')
      .select(['caller_id', 'destination_count', 'trunk_id'])
      .where('networks.id', '=', network.id)
      .orderBy('network_trunks.position');
    return locks.freeze(target, 'networks').compile();
  });
  return async (networkId) => {
    const { rows } = await trunksOfNetwork({ id: networkId });
    if (!rows[0]) return null;
    return {
      trunkIds: rows.flatMap((row) => row.trunk_id ?? []),
      callerId: rows[0].caller_id,
      destinationCount: rows[0].destination_count,
    };
  };
};

/** Direct destinations of a network that are looked at to tell whether it can be called. */
const DIRECT_SAMPLE = 100;

/** Finds SIP URIs of a network, a sample of them if it has many. */
export const uriFinder = ({ db }: Context): ((networkId: string) => Promise<readonly string[]>) => {
  const urisOfNetwork = prepared(db, (network: { id: string }) =>
    db
      .selectFrom('network_destinations')
      .select('destination')
      .where('network_id', '=', network.id)
      // No parameter: SQLite compiles a statement anew each time that a pattern is bound.
      .where('destination', 'like', sql.lit('sip%'))
      .orderBy('position')
      .limit(DIRECT_SAMPLE)
      .compile(),
  );
  return async (networkId) => (await urisOfNetwork({ id: networkId })).rows.map((row) => row.destination);
};
