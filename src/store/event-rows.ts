import type { Selectable } from 'kysely';
import type { Event } from '../domain/event.ts';
import type { EventSchema } from './event-schema.ts';

/** Columns of a published event. */
export const EVENT_COLUMNS = [
  'events.position',
  'events.type',
  'events.at',
  'events.blast_id',
  'events.call_id',
  'events.outcome',
  'events.media_id',
  'events.trunk_id',
  'events.webhook_id',
  'events.detail',
] as const;

type Row = Omit<Selectable<EventSchema['events']>, 'seq' | 'application_id'>;

export const eventOf = (row: Row): Event => ({
  id: String(row.position),
  type: row.type as Event['type'],
  at: row.at,
  blastId: row.blast_id,
  callId: row.call_id,
  outcome: row.outcome,
  mediaId: row.media_id,
  trunkId: row.trunk_id,
  webhookId: row.webhook_id,
  detail: row.detail,
});

/** A fact that no trigger sees, as an event to be. */
export const newEvent = (
  fact: Pick<Row, 'type' | 'at'> & { application_id: string } & Partial<Row>,
): Row & { application_id: string } => ({
  position: null,
  blast_id: null,
  call_id: null,
  outcome: null,
  media_id: null,
  trunk_id: null,
  webhook_id: null,
  detail: null,
  ...fact,
});
