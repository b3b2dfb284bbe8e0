import {
  type Application,
  DEFAULT_DIAL_BY_SECONDS,
  MAX_APP_KEY_LENGTH,
  MAX_PRIORITY,
  MIN_APP_KEY_LENGTH,
  type NewAppKey,
  type Settings,
} from '../domain/application.ts';
import { FRAME_MS } from '../domain/codec.ts';
import { isBlank } from '../domain/id.ts';
import { NO_RETRY, RETRYABLE, type RetryableOutcome, type RetryRule } from '../domain/retry.ts';
import { DEFAULT_SILENCES, MAX_SILENCE_MS, type Silences } from '../domain/silences.ts';
import type { NewApplication, Store, Transaction } from '../domain/store-port.ts';
import {
  checkDefaultGreeting,
  checkedDistinct,
  checkedId,
  checkedName,
  invalidField,
  notFound,
  refuseOtherId,
} from './fields.ts';

/** An application as the operator writes it. */
export interface ApplicationInput extends SilencesInput {
  readonly id?: string | null;
  readonly name: string;
  /** An existing key to import; creation only. */
  readonly appKey?: string | null;
  readonly defaultGreetingId?: string | null;
  readonly retry?: RetryInput | null;
  readonly priority?: number | null;
  readonly maxConcurrentCalls?: number | null;
  readonly callsPerSecond?: number | null;
  readonly dialBySeconds?: number | null;
}

type SilencesInput = { readonly [K in keyof Silences]?: number | null };

export interface RetryInput {
  readonly maxAttempts?: number;
  readonly delaySeconds?: number;
  readonly on?: readonly string[];
}

export interface ProvisionApplications {
  /** Throws `invalid_field` and `duplicate_id`. The key's secret is seen this once. */
  create(input: ApplicationInput): Promise<{ application: Application; appKey: NewAppKey }>;
  /** Throws `not_found` too. */
  replace(id: string, input: ApplicationInput): Promise<Application>;
  remove(id: string): Promise<void>;
  addKey(id: string, secret: string | null): Promise<NewAppKey>;
  revokeKey(id: string, keyId: string): Promise<void>;
  replaceSettings(settings: Settings): Promise<Settings>;
}

const MAX_ATTEMPTS = 10;
const MAX_DELAY_SECONDS = 86_400;
const MAX_CALLS = 100_000;
const MAX_DIAL_BY_SECONDS = 86_400;

export const createProvisionApplications = (store: Store): ProvisionApplications => ({
  create: (input) => store.transact((tx) => create(tx, input)),
  replace: (id, input) => store.transact((tx) => replace(tx, id, input)),
  remove: (id) =>
    store.transact(async (tx) => {
      if (!(await tx.deleteApplication(id))) throw notFound('application');
    }),
  addKey: (id, secret) =>
    store.transact(async (tx) => {
      if (!(await tx.findApplication(id))) throw notFound('application');
      return tx.createAppKey(id, checkedAppKey(secret));
    }),
  revokeKey: (id, keyId) =>
    store.transact(async (tx) => {
      if (!(await tx.revokeAppKey(id, keyId))) throw notFound('application key');
    }),
  replaceSettings: (settings) =>
    store.transact(async (tx) => {
      await checkDefaultGreeting(tx, settings.defaultGreetingId);
      await tx.replaceSettings(settings);
      return settings;
    }),
});

const create = async (
  tx: Transaction,
  input: ApplicationInput,
): Promise<{ application: Application; appKey: NewAppKey }> => {
  const secret = checkedAppKey(input.appKey ?? null);
  const id = await tx.createApplication(await checked(tx, input, checkedId(input.id)));
  const appKey = await tx.createAppKey(id, secret);
  return { application: await existing(tx, id), appKey };
};

const replace = async (tx: Transaction, id: string, input: ApplicationInput): Promise<Application> => {
  refuseOtherId(input.id, id);
  if (input.appKey != null)
    throw invalidField('appKey', 'appKey is taken on creation only: add keys by POST …/app-keys.');
  if (!(await tx.findApplication(id))) throw notFound('application');
  await tx.replaceApplication(id, await checked(tx, input, id));
  return existing(tx, id);
};

const checked = async (tx: Transaction, input: ApplicationInput, id: string | null): Promise<NewApplication> => {
  const name = checkedName('name', input.name);
  if (isBlank(name)) throw invalidField('name', 'name must not be blank.');
  const defaultGreetingId = input.defaultGreetingId ?? null;
  await checkDefaultGreeting(tx, defaultGreetingId);
  return {
    id,
    name,
    defaultGreetingId,
    retry: checkedRetry(input.retry),
    silences: checkedSilences(input),
    ...checkedDialling(input),
  };
};

const checkedDialling = (input: ApplicationInput) => ({
  priority: checkedNumber('priority', input.priority, MAX_PRIORITY) ?? 1,
  maxConcurrentCalls: checkedNumber('maxConcurrentCalls', input.maxConcurrentCalls, MAX_CALLS),
  callsPerSecond: checkedNumber('callsPerSecond', input.callsPerSecond, MAX_CALLS),
  dialBySeconds: checkedNumber('dialBySeconds', input.dialBySeconds, MAX_DIAL_BY_SECONDS) ?? DEFAULT_DIAL_BY_SECONDS,
});

const checkedNumber = (field: string, value: number | null | undefined, max: number): number | null => {
  if (value == null || (value >= 1 && value <= max)) return value ?? null;
  throw invalidField(field, `${field} must be from 1 to ${max}.`);
};

const checkedSilences = (input: SilencesInput): Silences => ({
  leadInMs: checkedSilence('leadInMs', input),
  gapMs: checkedSilence('gapMs', input),
  tailMs: checkedSilence('tailMs', input),
});

const checkedSilence = (field: keyof Silences, input: SilencesInput): number => {
  const ms = input[field] ?? DEFAULT_SILENCES[field];
  if (ms >= 0 && ms <= MAX_SILENCE_MS && ms % FRAME_MS === 0) return ms;
  throw invalidField(field, `${field} must be from 0 to ${MAX_SILENCE_MS}, in steps of ${FRAME_MS}.`);
};

const existing = async (tx: Transaction, id: string): Promise<Application> => {
  const application = await tx.findApplication(id);
  if (!application) throw notFound('application');
  return application;
};

/** Any printable text will do, since it may be a key that exists already in another system. */
const checkedAppKey = (secret: string | null): string | null => {
  if (secret === null) return null;
  const long = secret.length >= MIN_APP_KEY_LENGTH && secret.length <= MAX_APP_KEY_LENGTH;
  if (long && secret.trim() === secret && !/\p{Cc}/u.test(secret) && secret.isWellFormed()) return secret;
  throw invalidField(
    'appKey',
    `appKey must be ${MIN_APP_KEY_LENGTH} to ${MAX_APP_KEY_LENGTH} printable characters, no white space around them.`,
  );
};

const checkedRetry = (retry: RetryInput | null | undefined): RetryRule => {
  if (retry == null) return NO_RETRY;
  const { maxAttempts = 1, delaySeconds = 60, on = RETRYABLE } = retry;
  if (maxAttempts < 1 || maxAttempts > MAX_ATTEMPTS) {
    throw invalidField('retry.maxAttempts', `retry.maxAttempts must be from 1 to ${MAX_ATTEMPTS}.`);
  }
  if (delaySeconds < 0 || delaySeconds > MAX_DELAY_SECONDS) {
    throw invalidField('retry.delaySeconds', `retry.delaySeconds must be from 0 to ${MAX_DELAY_SECONDS}.`);
  }
  checkedDistinct('retry.on', on);
  return { maxAttempts, delaySeconds, on: on.map(checkedRetryable) };
};

const checkedRetryable = (outcome: string): RetryableOutcome => {
  const retryable = RETRYABLE.find((known) => known === outcome);
  if (retryable) return retryable;
  throw invalidField('retry.on', `retry.on may name ${RETRYABLE.join(', ')} only.`);
};
