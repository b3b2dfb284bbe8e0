import type { ColumnType, Generated, Kysely } from 'kysely';
import type { EventSchema } from './event-schema.ts';

/** Rows as they lie in the database: times are milliseconds since 1970, lists and rules are JSON text. */
export interface Schema extends EventSchema {
  applications: Listed & {
    name: string;
    default_greeting_id: string | null;
    retry: string;
    priority: number;
    max_concurrent_calls: number | null;
    calls_per_second: number | null;
    dial_by_seconds: number;
    silences: string;
  };
  app_keys: { id: string; application_id: string; secret_hash: string; created_at: number };
  settings: { id: number; default_greeting_id: string | null; vault_check: string | null };
  trunks: Listed & TrunkColumns;
  networks: Listed & { name: string; caller_id: string | null; destination_count: number };
  network_destinations: { network_id: string; position: number; destination: string };
  network_trunks: { network_id: string; position: number; trunk_id: string };
  network_applications: { network_id: string; application_id: string };
  media: Listed & { name: string; clip_id: string | null; processing: string };
  media_applications: { media_id: string; application_id: string };
  clips: ClipColumns;
  clip_originals: { clip_id: string; part: number; octets: Uint8Array };
  clip_renditions: { clip_id: string; codec: string; octets: Uint8Array; sha256: string | null };
  grants: GrantColumns;
  partial_uploads: PartialUploadColumns;
  partial_upload_parts: { upload_id: string; part: number; octets: Uint8Array };
  blasts: BlastColumns;
  calls: CallColumns;
  attempts: AttemptColumns;
  /** Waiting calls that are dealt out one after another: those of an application for a list of trunks. */
  queues: {
    seq: Generated<number>;
    application_id: string;
    trunk_ids: string;
    /** Digest of `trunk_ids`. */
    route: string;
  };
  /** The pacing ledger: of each entry the earliest time of its next call, and what it was charged for its turns. */
  paces: { id: string; next_at: number; charged: number };
  /** One row. */
  clock: { id: number; ahead_ms: number };
  nodes: {
    id: string;
    /** Counts up with each beat. */
    beats: number;
    joined_at: number;
    renewed_at: number;
    taken_over_at: number | null;
    taken_over_by: string | null;
    calls_per_minute_overloaded: number | null;
  };
  /** Clips to be, and the node that receives them. */
  staged_clips: { clip_id: string; node_id: string };
  sip_messages: SipMessageColumns;
  idempotency: {
    seq: Generated<number>;
    application_id: string;
    idempotency_key: string;
    blast_id: string;
    request_digest: string;
    created_at: number;
  };
  id_sequence: { kind: string; last: number };
  counters: { name: string; value: number };
  schema_migrations: { version: number; name: string; applied_at: number };
}

/** What can be listed newest first: `seq` counts up in the order of insertion. */
interface Listed {
  seq: Generated<number>;
  id: string;
  created_at: ColumnType<number, number, never>;
}

interface TrunkColumns {
  host: string;
  port: number;
  transport: string;
  username: string | null;
  /** Sealed by the vault. */
  password: string | null;
  caller_id: string | null;
  allowed_prefixes: string;
  max_concurrent_calls: number | null;
  calls_per_second: number | null;
  codecs: string;
  /** 0 or 1. */
  register: number;
  srtp: string;
  /** 0 or 1. */
  comedia: number;
  health_check: string;
}

interface ClipColumns {
  id: string;
  media_id: string;
  digest: string;
  original_bytes: number;
  original_type: string;
  frame_count: number;
  rendition_set: number;
  loudness: string | null;
  created_at: number;
}

interface GrantColumns {
  seq: Generated<number>;
  grant_id_hash: string;
  token_hash: string;
  media_id: string;
  application_id: string;
  key_id: string;
  state: string;
  issued_at: number;
  expires_at: number;
  failed_tries: number;
  clip_id: string | null;
  /** Who claimed it last. */
  node_id: Generated<string>;
  /** Of the last claim. */
  claimed_at: number | null;
  spent_at: number | null;
  revoked_at: number | null;
  /** Who made the last claim. */
  remote_address: string | null;
  /** Of the octets that spent it, which outlives the clip. */
  digest: string | null;
  bytes: number | null;
  /** The resumable upload that spent it. */
  upload_id: string | null;
}

interface PartialUploadColumns {
  seq: Generated<number>;
  id: string;
  grant_seq: number;
  size_bytes: number;
  offset_bytes: number;
  metadata: string;
}

interface BlastColumns {
  seq: Generated<number>;
  id: string;
  application_id: string;
  network_id: string;
  media_ids: string;
  greeting_id: string | null;
  playlist: string;
  retry: string;
  silences: string;
  trunk_ids: string;
  caller_id: string | null;
  dial_within_ms: number;
  accepted_at: number;
  state: string;
  unfinished_calls: number;
  /** Calls, the last ones of the network, that have no rows yet. */
  folded_calls: Generated<number>;
  /** Turn of the first call. */
  first_turn: Generated<number>;
  /** 1 if calls are to be unfolded, or cancelled. */
  is_unsettled: Generated<number>;
}

interface CallColumns {
  seq: Generated<number>;
  /** `<blast_id>-<position>` */
  id: string;
  blast_id: string;
  position: number;
  destination: string;
  state: string;
  outcome: string | null;
  queue_seq: number;
  /** Place in its queue; null if it is not due, or was looked at and cannot be dialled before `due_at`. */
  turn: number | null;
  due_at: number;
  dial_by: number;
  attempt_count: number;
  /** Attempts that went on to the next trunk: no rule counts them. */
  uncounted_attempts: Generated<number>;
}

interface AttemptColumns {
  id: string;
  call_seq: number;
  number: number;
  trunk_id: string | null;
  sip_call_id: string;
  from_tag: string;
  branch: string;
  dialled_at: number;
  ringing_at: number | null;
  answered_at: number | null;
  ended_at: number | null;
  outcome: string | null;
  sip_status: number | null;
  sip_reason: string | null;
  codec: string | null;
  frames_sent: string | null;
  packets_sent: number;
  packets_lost: number | null;
  jitter_ms: number | null;
  packets_refused: number | null;
  peer_refusals: number | null;
  digits: string | null;
  hung_up_at: string | null;
  round_trip_ms: number | null;
  mos_estimate: number | null;
  lateness_p50_ms: number | null;
  lateness_p99_ms: number | null;
  node_id: string;
  /** What ends its dialog should the node die; null once it has ended. */
  dialog: string | null;
  application_id: string;
  sip_messages_omitted: Generated<number>;
}

interface SipMessageColumns {
  seq: Generated<number>;
  attempt_id: string;
  direction: string;
  transport: string;
  local_address: string;
  local_port: number;
  remote_address: string;
  remote_port: number;
  seen_at: number;
  octets: Uint8Array;
  /** Octets of all messages ever kept before this one: it and what is newer take the difference to all ever kept. */
  begins_at_octet: number;
}

export type Db = Kysely<Schema>;
