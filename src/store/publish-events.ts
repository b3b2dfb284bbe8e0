import { sql } from 'kysely';
import type { EventVerbs } from '../domain/event-port.ts';
import type { Context } from './context.ts';
import { queueDeliveries } from './delivery-queue.ts';
import { prepared } from './prepared.ts';

/** Events that one unit of work publishes. */
const AT_ONCE = 500;

/**
 * Facts commit in another order than their rows were numbered in, where units run beside each other: who read up to
 * one number would miss a smaller one that commits later. So ids are given after the commit, by one publisher at a
 * time: who sees an id sees all before it.
 */
export const eventPublisher = (context: Context): EventVerbs['publishEvents'] => {
  const { db, locks } = context;
  const takeLog = prepared(db, () => locks.own(db.selectFrom('event_log').select('last'), 'event_log').compile());
  const number = prepared(db, ({ last }: { last: number }) => numberUnpublished(last).compile(db));
  return async () => {
    const last = (await takeLog({})).rows[0]?.last ?? 0;
    const { rows } = await number({ last });
    const published = rows.length;
    if (published === 0) return 0;
    await db
      .updateTable('event_log')
      .set({ last: last + published })
      .execute();
    const applicationIds = [...new Set(rows.map((row) => row.application_id))];
    await queueDeliveries(context, { applicationIds, after: last, upTo: last + published });
    return published;
  };
};

const numberUnpublished = (last: number) => sql<{ application_id: string }>`
  update events set position = cast(${last} as bigint) + numbered.number
  from (select seq, row_number() over (order by seq) as number from
    (select seq from events where position is null order by seq limit ${sql.lit(AT_ONCE)}) as unpublished
  ) as numbered
  where events.seq = numbered.seq returning events.application_id`;
