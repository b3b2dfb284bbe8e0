import type { Selectable } from 'kysely';
import type { TraceBatch, TracedMessage, TraceLimits } from '../domain/sip-trace.ts';
import type { Transaction, Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import type { Schema } from './schema.ts';

const OCTETS_EVER = 'sip_octets';

export const sipTraceViews = ({ db }: Context): Pick<Views, 'findCallTrace'> => ({
  async findCallTrace(callId) {
    const ofCall = db
      .selectFrom('attempts')
      .innerJoin('calls', 'calls.seq', 'attempts.call_seq')
      .where('calls.id', '=', callId);
    const rows = await ofCall
      .innerJoin('sip_messages', 'sip_messages.attempt_id', 'attempts.id')
      .selectAll('sip_messages')
      .select('attempts.number')
      .orderBy('sip_messages.seq')
      .execute();
    const attempts = await ofCall.select('sip_messages_omitted').execute();
    return {
      messages: rows.map((row) => ({ ...messageOf(row), attemptNumber: row.number })),
      omitted: attempts.reduce((sum, attempt) => sum + attempt.sip_messages_omitted, 0),
    };
  },
});

const messageOf = (row: Selectable<Schema['sip_messages']>): TracedMessage => ({
  direction: row.direction as TracedMessage['direction'],
  transport: row.transport as TracedMessage['transport'],
  local: { address: row.local_address, port: row.local_port },
  remote: { address: row.remote_address, port: row.remote_port },
  seenAt: row.seen_at,
  octets: row.octets,
});

export const sipTraceVerbs = (context: Context): Pick<Transaction, 'keepSipMessages' | 'dropOldSipMessages'> => ({
  keepSipMessages: (batch) => keep(context, batch),
  dropOldSipMessages: (limits) => dropOld(context, limits),
});

const keep = async (context: Context, { messages, omitted }: TraceBatch): Promise<void> => {
  const { db } = context;
  if (messages.length > 0) {
    const parts = partsOf(await rowsOf(context, messages));
    await Promise.all(parts.map((rows) => db.insertInto('sip_messages').values(rows).execute()));
  }
  for (const { attemptId, count } of omitted)
    await db
      .updateTable('attempts')
      .set((eb) => ({ sip_messages_omitted: eb('sip_messages_omitted', '+', count) }))
      .where('id', '=', attemptId)
      .execute();
};

/** Rows of one insert: so the inserts of any number share three statements, which stay prepared. */
const PARTS = [64, 8, 1];

const partsOf = <T>(rows: readonly T[]): readonly (readonly T[])[] => {
  const size = PARTS.find((rowsAtOnce) => rowsAtOnce <= rows.length);
  return size === undefined ? [] : [rows.slice(0, size), ...partsOf(rows.slice(size))];
};

const rowsOf = async ({ db }: Context, messages: TraceBatch['messages']) => {
  const added = messages.reduce((sum, { octets }) => sum + octets.length, 0);
  // Nodes that share the database wait for one another here, so that the sums rise in the order of `seq`.
  const { value } = await db
    .updateTable('counters')
    .set((eb) => ({ value: eb('value', '+', added) }))
    .where('name', '=', OCTETS_EVER)
    .returning('value')
    .executeTakeFirstOrThrow();
  let begin = value - added;
  return messages.map((message) => {
    const row = rowOf(message, begin);
    begin += message.octets.length;
    return row;
  });
};

const rowOf = (message: TraceBatch['messages'][number], begins_at_octet: number) => ({
  attempt_id: message.attemptId,
  direction: message.direction,
  transport: message.transport,
  local_address: message.local.address,
  local_port: message.local.port,
  remote_address: message.remote.address,
  remote_port: message.remote.port,
  seen_at: message.seenAt,
  octets: message.octets,
  begins_at_octet,
});

const dropOld = async (context: Context, { keepForMs, maxBytes, atMost }: TraceLimits): Promise<number> => {
  const { db } = context;
  const { value } = await db
    .selectFrom('counters')
    .select('value')
    .where('name', '=', OCTETS_EVER)
    .executeTakeFirstOrThrow();
  const before = (await context.nowMs()) - keepForMs;
  const oldest = db
    .selectFrom('sip_messages')
    .select(['seq', 'seen_at', 'begins_at_octet'])
    .orderBy('seq')
    .limit(atMost);
  const { numDeletedRows } = await db
    .deleteFrom('sip_messages')
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom(oldest.as('oldest'))
        .select('oldest.seq')
        .where((or) => or.or([or('seen_at', '<=', before), or('begins_at_octet', '<', value - maxBytes)])),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
};
