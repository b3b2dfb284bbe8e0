import { Type } from 'typebox';
import { optional, ProcessingInput, readOnly, strictObject } from './schema.ts';

/**
 * The shapes of what an operator sends. Values are judged by the use cases, which say what is wrong in a sentence;
 * what an answer holds beside these may be sent back and has no effect.
 */
const Strings = Type.Array(Type.String());

export const ApplicationBody = strictObject({
  id: optional(Type.String()),
  name: Type.String(),
  appKey: optional(Type.String()),
  defaultGreetingId: optional(Type.String()),
  retry: optional(
    strictObject({
      maxAttempts: Type.Optional(Type.Integer()),
      delaySeconds: Type.Optional(Type.Integer()),
      on: Type.Optional(Strings),
    }),
  ),
  priority: optional(Type.Integer()),
  maxConcurrentCalls: optional(Type.Integer()),
  callsPerSecond: optional(Type.Integer()),
  dialBySeconds: optional(Type.Integer()),
  leadInMs: optional(Type.Integer()),
  gapMs: optional(Type.Integer()),
  tailMs: optional(Type.Integer()),
  createdAt: readOnly,
});

export const AppKeyBody = strictObject({ appKey: optional(Type.String()) });

export const TrunkBody = strictObject({
  id: optional(Type.String()),
  host: Type.String(),
  port: optional(Type.Integer()),
  transport: optional(Type.String()),
  username: optional(Type.String()),
  password: optional(Type.String()),
  callerId: optional(Type.String()),
  allowedPrefixes: Strings,
  maxConcurrentCalls: optional(Type.Integer()),
  callsPerSecond: optional(Type.Integer()),
  codecs: optional(Strings),
  register: optional(Type.Boolean()),
  srtp: optional(Type.String()),
  comedia: optional(Type.Boolean()),
  healthCheck: optional(Type.String()),
  hasPassword: readOnly,
  state: readOnly,
  stateReason: readOnly,
  degraded: readOnly,
  registration: readOnly,
  createdAt: readOnly,
});

export const NetworkBody = strictObject({
  id: optional(Type.String()),
  name: optional(Type.String()),
  destinations: Strings,
  trunkIds: optional(Strings),
  callerId: optional(Type.String()),
  applicationIds: optional(Strings),
  createdAt: readOnly,
});

/** What is imported into a network, unless it comes as CSV. */
export const ImportBody = Type.Union([Strings, strictObject({ destinations: Strings })]);

export const MediaBody = strictObject({
  id: optional(Type.String()),
  name: optional(Type.String()),
  applicationIds: optional(Strings),
  processing: ProcessingInput,
  clip: readOnly,
  createdAt: readOnly,
});

export const SettingsBody = strictObject({ defaultGreetingId: Type.Union([Type.String(), Type.Null()]) });

export const IdParams = Type.Object({ id: Type.String() });
export const KeyParams = Type.Object({ id: Type.String(), keyId: Type.String() });
export const AssociationParams = Type.Object({ id: Type.String(), applicationId: Type.String() });
