import { EVENTS_KEPT_MS, MAX_EVENTS_KEPT } from '../domain/event.ts';
import type { EventVerbs, EventViews } from '../domain/event-port.ts';
import type { Context } from './context.ts';
import { EVENT_COLUMNS, eventOf, newEvent } from './event-rows.ts';
import { padded } from './padded.ts';
import { eventPublisher } from './publish-events.ts';

/** Events that one `sweepEvents` drops at most, so that it does not hold up the store. */
const SWEPT_AT_ONCE = 2000;

export const eventViews = ({ db }: Context): Pick<EventViews, 'readEventRange' | 'listEvents'> => ({
  async readEventRange() {
    const { last, swept } = await db.selectFrom('event_log').select(['last', 'swept']).executeTakeFirstOrThrow();
    const pending = await db.selectFrom('events').select('seq').where('position', 'is', null).limit(1).execute();
    return { lastId: String(last), sweptId: String(swept), isPending: pending.length > 0 };
  },
  async listEvents(applicationId, afterId, limit) {
    const rows = await db
      .selectFrom('events')
      .select(EVENT_COLUMNS)
      .$if(applicationId !== null, (query) => query.where('application_id', '=', applicationId ?? ''))
      .where('position', '>', Number(afterId))
      .orderBy('position')
      .limit(limit)
      .execute();
    return rows.map(eventOf);
  },
});

type Verbs = Pick<EventVerbs, 'publishEvents' | 'recordDigit' | 'noteTrunkState' | 'sweepEvents'>;

export const eventVerbs = (context: Context): Verbs => ({
  publishEvents: eventPublisher(context),
  recordDigit: (attemptId, digit, agoMs = 0) => recordDigit(context, attemptId, digit, agoMs),
  noteTrunkState: (trunkId, state) => noteTrunkState(context, trunkId, state),
  sweepEvents: () => sweepEvents(context),
});

const recordDigit = async ({ db, nowMs }: Context, attemptId: string, digit: string, agoMs: number): Promise<void> => {
  const call = await db
    .selectFrom('attempts')
    .innerJoin('calls', 'calls.seq', 'attempts.call_seq')
    .innerJoin('blasts', 'blasts.id', 'calls.blast_id')
    .select(['calls.id', 'calls.blast_id', 'blasts.application_id'])
    .where('attempts.id', '=', attemptId)
    .where('attempts.ended_at', 'is', null)
    .executeTakeFirst();
  if (!call) return;
  const { id: call_id, blast_id, application_id } = call;
  const at = (await nowMs()) - agoMs;
  const event = newEvent({ application_id, type: 'call.digit', at, blast_id, call_id, detail: digit });
  await db.insertInto('events').values(event).execute();
};

const noteTrunkState = async (context: Context, trunk_id: string, state: 'up' | 'down'): Promise<void> => {
  if (!(await changeTrunkState(context, trunk_id, state))) return;
  const { db, nowMs } = context;
  const at = await nowMs();
  const applications = await db
    .selectFrom('network_trunks')
    .innerJoin('network_applications', 'network_applications.network_id', 'network_trunks.network_id')
    .select('application_id')
    .distinct()
    .where('trunk_id', '=', trunk_id)
    .execute();
  for (const { application_id } of applications) {
    const event = newEvent({ application_id, type: `trunk.${state}`, at, trunk_id });
    await db.insertInto('events').values(event).execute();
  }
};

/** Whether this is news: a trunk counts as up until it is found down. Of several nodes, the first one tells. */
const changeTrunkState = async ({ db, locks }: Context, trunk_id: string, state: string): Promise<boolean> => {
  const known = locks.own(db.selectFrom('trunks').select('id').where('id', '=', trunk_id), 'trunks');
  if (!(await known.executeTakeFirst())) return false;
  const before = await db
    .selectFrom('trunk_health')
    .select('state')
    .where('trunk_id', '=', trunk_id)
    .executeTakeFirst();
  if ((before?.state ?? 'up') === state) return false;
  await db
    .insertInto('trunk_health')
    .values({ trunk_id, state })
    .onConflict((conflict) => conflict.column('trunk_id').doUpdateSet({ state }))
    .execute();
  return true;
};

const sweepEvents = async ({ db, nowMs }: Context): Promise<number> => {
  const { last } = await db.selectFrom('event_log').select('last').executeTakeFirstOrThrow();
  const oldest = await db
    .selectFrom('events')
    .select(['seq', 'position', 'at'])
    .where('position', 'is not', null)
    .orderBy('position')
    .limit(SWEPT_AT_ONCE)
    .execute();
  const keptSince = (await nowMs()) - EVENTS_KEPT_MS;
  const swept = oldest.filter(({ at, position }) => at < keptSince || (position ?? 0) <= last - MAX_EVENTS_KEPT);
  if (swept.length === 0) return 0;
  const seqs = padded(swept.map(({ seq }) => seq));
  const upTo = Math.max(...swept.map(({ position }) => position ?? 0));
  await db.deleteFrom('events').where('seq', 'in', seqs).execute();
  await db.deleteFrom('webhook_deliveries').where('position', '<=', upTo).execute();
  await db.updateTable('event_log').set({ swept: upTo }).where('swept', '<', upTo).execute();
  return swept.length;
};
