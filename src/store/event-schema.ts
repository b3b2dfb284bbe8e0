import type { Generated } from 'kysely';

/** Rows of events and of what is to be told to webhooks. */
export interface EventSchema {
  events: EventColumns;
  /** One row. */
  event_log: { id: number; last: number; swept: number };
  trunk_health: { trunk_id: string; state: string };
  webhooks: WebhookColumns;
  webhook_deliveries: DeliveryColumns;
}

interface EventColumns {
  seq: Generated<number>;
  /** Given when it is published; the id of the event. */
  position: number | null;
  application_id: string;
  type: string;
  at: number;
  blast_id: string | null;
  call_id: string | null;
  outcome: string | null;
  media_id: string | null;
  trunk_id: string | null;
  webhook_id: string | null;
  detail: string | null;
}

interface WebhookColumns {
  seq: Generated<number>;
  id: string;
  application_id: string;
  url: string;
  /** JSON, null for all. */
  types: string | null;
  /** Sealed by the vault, as the one before. */
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
  disabled_reason: string | null;
  failing_since: number | null;
  created_at: number;
}

interface DeliveryColumns {
  position: number;
  webhook_id: string;
  event_seq: number;
  call_id: string | null;
  attempts: number;
  queued_at: number;
  /** When it is due, or its claim ends; null while an earlier event of its call is not delivered. */
  next_at: number | null;
}
