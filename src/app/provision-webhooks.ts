import { AppError } from '../domain/app-error.ts';
import { EVENT_TYPES, type EventType } from '../domain/event.ts';
import type { WebhookChanges } from '../domain/event-port.ts';
import type { RandomSource } from '../domain/ports.ts';
import type { Store, Views } from '../domain/store-port.ts';
import type { Webhook } from '../domain/webhook.ts';
import { checkedDistinct, invalidField, notFound } from './fields.ts';

/** A webhook as its owner writes it. */
export interface WebhookInput {
  readonly url: string;
  readonly types?: readonly string[] | null;
  readonly disabled?: boolean | null;
}

/** With the secret just made: the only time it is seen. */
export type WebhookWithSecret = Webhook & { readonly secret: string };

/** Webhooks of one application; those of others are not found. */
export interface ProvisionWebhooks {
  /** Throws `invalid_field` and `too_many`. */
  create(applicationId: string, input: WebhookInput): Promise<WebhookWithSecret>;
  find(applicationId: string, id: string): Promise<Webhook>;
  list(applicationId: string): Promise<readonly Webhook[]>;
  replace(applicationId: string, id: string, input: WebhookInput): Promise<Webhook>;
  remove(applicationId: string, id: string): Promise<void>;
  rotate(applicationId: string, id: string): Promise<WebhookWithSecret>;
  /** Queues up to 10,000 events since then once more; `next` is to be given as `after` if there may be others. */
  replay(
    applicationId: string,
    id: string,
    since: { readonly sinceAt: number; readonly after: string | null },
  ): Promise<{ readonly queued: number; readonly next: string | null }>;
}

const REPLAYED_AT_ONCE = 10_000;
const MAX_URL_LENGTH = 2000;

export const createProvisionWebhooks = (store: Store, random: RandomSource): ProvisionWebhooks => ({
  async create(applicationId, input) {
    const changes = checked(input);
    const secret = newSecret(random);
    const webhook = await store.transact(async (tx) =>
      existing(tx, applicationId, await tx.createWebhook(applicationId, { ...changes, secret })),
    );
    return { ...webhook, secret };
  },
  find: (applicationId, id) => store.view((views) => existing(views, applicationId, id)),
  list: (applicationId) =>
    store.view(async (views) => {
      if (!(await views.findApplication(applicationId))) throw notFound('application');
      return views.listWebhooks(applicationId);
    }),
  replace(applicationId, id, input) {
    const changes = checked(input);
    return store.transact(async (tx) => {
      if (!(await tx.replaceWebhook(id, applicationId, changes))) throw notFound('webhook');
      return existing(tx, applicationId, id);
    });
  },
  async remove(applicationId, id) {
    if (await store.transact((tx) => tx.deleteWebhook(id, applicationId))) return;
    throw notFound('webhook');
  },
  async rotate(applicationId, id) {
    const secret = newSecret(random);
    const webhook = await store.transact(async (tx) => {
      await tx.rotateWebhook(id, applicationId, secret);
      return existing(tx, applicationId, id);
    });
    return { ...webhook, secret };
  },
  replay: (applicationId, id, { sinceAt, after }) =>
    store.transact(async (tx) => {
      const { disabledReason } = await existing(tx, applicationId, id);
      if (disabledReason) throw new AppError('invalid_field', 'The webhook is disabled: enable it first.');
      const request = { webhookId: id, applicationId, sinceAt, afterId: after ?? '0', limit: REPLAYED_AT_ONCE };
      const { queued, nextId } = await tx.replayEvents(request);
      return { queued, next: nextId };
    }),
});

const existing = async (views: Views, applicationId: string, id: string): Promise<Webhook> => {
  const webhook = await views.findWebhook(id, applicationId);
  if (!webhook) throw notFound('webhook');
  return webhook;
};

/** 192 random bits, written as the Standard Webhooks specification does. */
const newSecret = (random: RandomSource): string => `whsec_${Buffer.from(random.hex(24), 'hex').toString('base64')}`;

const checked = ({ url, types, disabled }: WebhookInput): WebhookChanges => ({
  url: checkedUrl(url),
  types: checkedTypes(types),
  isDisabled: disabled ?? false,
});

const checkedUrl = (text: string): string => {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash) return url.href;
  throw invalidField(
    'url',
    `url must be an http or https URL of at most ${MAX_URL_LENGTH} characters, without user, password and fragment.`,
  );
};

const checkedTypes = (types: readonly string[] | null | undefined): readonly EventType[] | null => {
  if (types == null) return null;
  const known = types.map((name) => EVENT_TYPES.find((type) => type === name));
  if (types.length === 0 || !known.every((type) => type !== undefined))
    throw invalidField('types', `types must name at least one of ${EVENT_TYPES.join(', ')}, or be left out for all.`);
  checkedDistinct('types', types);
  return known;
};
