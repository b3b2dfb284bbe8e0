import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from './context.ts';
import { prepared } from './prepared.ts';
import type { Schema } from './schema.ts';

/** Digest of a list of trunks as the database holds it. */
export const routeOf = (trunkIds: string): string => createHash('sha256').update(trunkIds).digest('hex').slice(0, 32);

/** A queue and its head. */
export interface Queue {
  readonly seq: number;
  readonly head: number;
}

/** Finds the queue of an application for a list of trunks, or makes it. */
export const queueFinder = ({ db }: Context) => {
  const known = prepared(db, (key: { applicationId: string; route: string }) =>
    db
      .selectFrom('queues')
      .select(['seq', headOf(sql.ref('queues.seq')).as('head')])
      .where('application_id', '=', key.applicationId)
      .where('route', '=', key.route)
      .compile(),
  );
  const make = prepared(db, (row: Omit<Schema['queues'], 'seq'>) =>
    db
      .insertInto('queues')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
  );
  return async (applicationId: string, trunkIds: readonly string[]): Promise<Queue> => {
    const text = JSON.stringify(trunkIds);
    const route = routeOf(text);
    const find = async () => (await known({ applicationId, route })).rows[0];
    const found = await find();
    if (found !== undefined) return found;
    await make({ application_id: applicationId, trunk_ids: text, route });
    const made = await find();
    if (made === undefined) throw new Error(`queue of application ${applicationId} was not made`);
    return made;
  };
};

/** The turn at which a queue stands: what comes now stands beside it. */
export const headOf = (queueSeq: RawBuilder<number>): RawBuilder<number> => sql<number>`coalesce((
  select min(head.turn) from calls as head
  where head.state = 'waiting' and head.turn is not null and head.queue_seq = ${queueSeq}), 0)`;

/** Queues in which calls stand, found in one index step each, however many calls stand in them. */
export const STANDING_QUEUES = sql`
  with recursive standing(seq) as (
    select min(queue_seq) from calls where state = 'waiting' and turn is not null
    union all
    select (select min(queue_seq) from calls where state = 'waiting' and turn is not null and queue_seq > standing.seq)
    from standing where standing.seq is not null
  )`;
