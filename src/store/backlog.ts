import { sql } from 'kysely';
import { shareOf } from '../domain/backlog.ts';
import type { Views } from '../domain/store-port.ts';
import { queueReader } from './claim-rows.ts';
import type { Context } from './context.ts';
import { headOf, routeOf } from './queues.ts';

export const backlogViews = (context: Context): Pick<Views, 'findBacklog'> => {
  const readQueues = queueReader(context);
  return {
    async findBacklog({ application, trunkIds, calls }, atMost) {
      const { id: applicationId, priority } = application;
      const route = routeOf(JSON.stringify(trunkIds));
      const standing = await readQueues();
      const own = standing.find((queue) => queue.applicationId === applicationId && queue.route === route);
      const share = shareOf({ applicationId, route, priority }, standing);
      return { share, ahead: own ? await countAhead(context, own.seq, calls, atMost) : 0 };
    },
  };
};

/** Calls with a turn before, or the same as, the last of so many that come now. */
const countAhead = async ({ db }: Context, queueSeq: number, calls: number, atMost: number): Promise<number> => {
  const { rows } = await sql<{ ahead: number }>`select cast(count(*) as bigint) as ahead from (
    select seq from calls where state = 'waiting' and turn is not null and queue_seq = ${queueSeq}
      and turn < ${headOf(sql<number>`${queueSeq}`)} + cast(${calls} as bigint)
    limit cast(${atMost} as bigint)) as first`.execute(db);
  return rows[0]?.ahead ?? 0;
};
