import { type Static, Type } from 'typebox';
import type { WebhookWithSecret } from '../app/provision-webhooks.ts';
import { EVENT_TYPES } from '../domain/event.ts';
import type { Webhook } from '../domain/webhook.ts';
import { isoTime, isoTimeOrNull } from './iso-time.ts';
import { nullable, oneOf, optional, readOnly, strictObject } from './schema.ts';

/** What may be sent; what an answer holds beside it may be sent back and has no effect. */
export const WebhookBody = strictObject({
  url: Type.String({ description: 'http or https, a public address' }),
  types: optional(Type.Array(Type.String(), { description: 'types of events, all if left out' })),
  disabled: optional(Type.Boolean()),
  id: readOnly,
  disabledReason: readOnly,
  failingSince: readOnly,
  previousSecretUntil: readOnly,
  createdAt: readOnly,
});

const members = {
  id: Type.String(),
  url: Type.String(),
  types: nullable(Type.Array(oneOf(EVENT_TYPES))),
  disabled: Type.Boolean(),
  disabledReason: nullable(oneOf(['asked', 'gone', 'failing'])),
  failingSince: nullable(Type.String({ description: 'since when all deliveries fail' })),
  previousSecretUntil: nullable(Type.String({ description: 'until when the secret before signs too' })),
  createdAt: Type.String(),
};
export const WebhookJson = Type.Object(members);
export const WebhookWithSecretJson = Type.Object({
  ...members,
  secret: Type.String({ description: 'whsec_…, shown this once' }),
});

export const webhookJson = (webhook: Webhook): Static<typeof WebhookJson> => ({
  id: webhook.id,
  url: webhook.url,
  types: webhook.types && [...webhook.types],
  disabled: webhook.disabledReason !== null,
  disabledReason: webhook.disabledReason,
  failingSince: isoTimeOrNull(webhook.failingSince),
  previousSecretUntil: isoTimeOrNull(webhook.previousSecretUntil),
  createdAt: isoTime(webhook.createdAt),
});

export const webhookWithSecretJson = (webhook: WebhookWithSecret): Static<typeof WebhookWithSecretJson> => ({
  ...webhookJson(webhook),
  secret: webhook.secret,
});

export const ReplayBody = strictObject({
  since: Type.String({ description: 'ISO 8601 with its zone: events that happened at or after it' }),
  after: optional(Type.String({ pattern: '^[0-9]{1,15}$', description: '`next` of the answer before' })),
});

export const ReplayJson = Type.Object({
  queued: Type.Integer(),
  next: nullable(Type.String({ description: 'send again with this as `after`; null if that was all' })),
});
