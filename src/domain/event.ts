/** What is published. `webhook.disabled` tells of an endpoint that was given up. */
export const EVENT_TYPES = [
  'blast.accepted',
  'blast.finished',
  'call.ringing',
  'call.answered',
  'call.digit',
  'call.finished',
  'media.ready',
  'grant.spent',
  'trunk.up',
  'trunk.down',
  'webhook.disabled',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A fact, as one application is told of it. What does not apply is null. */
export interface Event {
  /** Decimal digits; counts up in the order in which events are published, over all applications. */
  readonly id: string;
  readonly type: EventType;
  /** When it happened: milliseconds since 1970 by the database's clock. */
  readonly at: number;
  readonly blastId: string | null;
  readonly callId: string | null;
  readonly outcome: string | null;
  readonly mediaId: string | null;
  readonly trunkId: string | null;
  readonly webhookId: string | null;
  /** What more there is in one word: the key pressed, how a blast ended, why a webhook was disabled. */
  readonly detail: string | null;
}

/** How long events can be read again, and how many at most are kept. */
export const EVENTS_KEPT_MS = 7 * 24 * 3_600_000;
export const MAX_EVENTS_KEPT = 2_000_000;

/** Under which name the data of an event shows its detail. */
const DETAIL: Readonly<Partial<Record<EventType, string>>> = {
  'blast.finished': 'state',
  'call.digit': 'digit',
  'webhook.disabled': 'reason',
};

/** The data of an event as webhooks and the stream carry it, `at` in ISO 8601: what does not apply is left out. */
export const eventData = (event: Event, at: string): Readonly<Record<string, string>> => {
  const { id, type, at: _, detail, ...rest } = event;
  const members = [...Object.entries(rest), [DETAIL[type] ?? 'detail', detail] as const];
  const present = members.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return { id, type, at, ...Object.fromEntries(present) };
};
