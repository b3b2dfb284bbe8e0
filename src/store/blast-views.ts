import type { Selectable } from 'kysely';
import type { BlastState, BlastView, PlaylistItem } from '../domain/blast.ts';
import type { AttemptView, CallState, CallView, RtpFigures } from '../domain/call.ts';
import type { Codec } from '../domain/codec.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { listed, windowOf } from './page.ts';
import { groupBy, parseJson } from './rows.ts';
import type { Schema } from './schema.ts';

/** Calls of each blast that a list of blasts shows. */
const LISTED_CALLS = 100;
/** The largest position that its column can hold. */
const ALL_CALLS = 2 ** 31 - 1;

type BlastRow = Selectable<Schema['blasts']>;
type CallRow = Selectable<Schema['calls']>;
type AttemptRow = Selectable<Schema['attempts']>;

export const blastViews = (
  context: Context,
): Pick<Views, 'findBlast' | 'isBlastOf' | 'listBlasts' | 'listCalls' | 'findCall'> => ({
  async isBlastOf(id, applicationId) {
    const own = context.db.selectFrom('blasts').select('seq').where('id', '=', id);
    return (await own.where('application_id', '=', applicationId).executeTakeFirst()) !== undefined;
  },
  async findBlast(id, applicationId) {
    const row = await context.db
      .selectFrom('blasts')
      .selectAll()
      .where('id', '=', id)
      .$if(applicationId !== undefined, (query) => query.where('application_id', '=', applicationId ?? ''))
      .executeTakeFirst();
    if (!row) return null;
    return (await blastsOf(context, [row], ALL_CALLS))[0] ?? null;
  },
  async listBlasts(page, applicationId) {
    const window = windowOf(page);
    const rows = await context.db
      .selectFrom('blasts')
      .selectAll()
      .where('seq', '<', window.before)
      .$if(applicationId !== undefined, (query) => query.where('application_id', '=', applicationId ?? ''))
      .orderBy('seq', 'desc')
      .limit(window.take)
      .execute();
    const { items, next } = listed(rows, window);
    return { items: await blastsOf(context, items, LISTED_CALLS), next };
  },
  async listCalls(page) {
    const window = windowOf(page);
    const rows = await callsWithPlaylist(context)
      .where('calls.seq', '<', window.before)
      .orderBy('calls.seq', 'desc')
      .limit(window.take)
      .execute();
    const { items, next } = listed(rows, window);
    return { items: await withAttempts(context, items), next };
  },
  async findCall(id) {
    const rows = await callsWithPlaylist(context).where('calls.id', '=', id).execute();
    return (await withAttempts(context, rows))[0] ?? null;
  },
});

const callsWithPlaylist = ({ db }: Context) =>
  db.selectFrom('calls').innerJoin('blasts', 'blasts.id', 'calls.blast_id').selectAll('calls').select('playlist');

const withAttempts = async (
  context: Context,
  rows: readonly (CallRow & { playlist: string })[],
): Promise<readonly CallView[]> => {
  const attempts = await attemptsOf(context, rows);
  return rows.map((row) => callOf(row, attempts.get(row.seq) ?? [], parseJson(row.playlist)));
};

const blastsOf = async (
  { db }: Context,
  rows: readonly BlastRow[],
  maxCalls: number,
): Promise<readonly BlastView[]> => {
  if (rows.length === 0) return [];
  const shown = db
    .selectFrom('calls')
    .where(
      'blast_id',
      'in',
      rows.map((row) => row.id),
    )
    .where('position', '<=', maxCalls);
  const calls = await shown.selectAll().orderBy('blast_id').orderBy('position').execute();
  const attempts = await shown
    .innerJoin('attempts', 'attempts.call_seq', 'calls.seq')
    .selectAll('attempts')
    .orderBy('attempts.number')
    .execute();
  const callsOf = groupBy(
    calls,
    (call) => call.blast_id,
    (call) => call,
  );
  const attemptsByCall = byCall(attempts);
  return rows.map((row) => blastOf(row, callsOf.get(row.id) ?? [], attemptsByCall));
};

const blastOf = (
  row: BlastRow,
  calls: readonly CallRow[],
  attempts: ReadonlyMap<number, readonly AttemptRow[]>,
): BlastView => {
  const playlist = parseJson<PlaylistItem[]>(row.playlist);
  return {
    id: row.id,
    applicationId: row.application_id,
    networkId: row.network_id,
    mediaIds: parseJson(row.media_ids),
    greetingId: row.greeting_id,
    acceptedAt: row.accepted_at,
    state: row.state as BlastState,
    calls: calls.map((call) => callOf(call, attempts.get(call.seq) ?? [], playlist)),
  };
};

const attemptsOf = async ({ db }: Context, calls: readonly { seq: number }[]) => {
  if (calls.length === 0) return new Map<number, AttemptRow[]>();
  const rows = await db
    .selectFrom('attempts')
    .selectAll()
    .where(
      'call_seq',
      'in',
      calls.map((call) => call.seq),
    )
    .orderBy('number')
    .execute();
  return byCall(rows);
};

const byCall = (rows: readonly AttemptRow[]) =>
  groupBy(
    rows,
    (row) => row.call_seq,
    (row) => row,
  );

const callOf = (row: CallRow, attempts: readonly AttemptRow[], playlist: readonly PlaylistItem[]): CallView => ({
  id: row.id,
  blastId: row.blast_id,
  destination: row.destination,
  state: row.state as CallState,
  outcome: row.outcome as Outcome | null,
  attempts: attempts.map((attempt) => attemptOf(attempt, playlist)),
});

const attemptOf = (row: AttemptRow, playlist: readonly PlaylistItem[]): AttemptView => {
  const framesSent = row.frames_sent === null ? [] : parseJson<number[]>(row.frames_sent);
  return {
    id: row.id,
    number: row.number,
    trunkId: row.trunk_id,
    sipCallId: row.sip_call_id,
    dialledAt: row.dialled_at,
    ringingAt: row.ringing_at,
    answeredAt: row.answered_at,
    endedAt: row.ended_at,
    outcome: row.outcome as Outcome | null,
    sipStatus: row.sip_status,
    sipReason: row.sip_reason,
    codec: row.codec as Codec | null,
    clips: playlist.map((item, at) => ({
      mediaId: item.mediaId,
      framesSent: framesSent[at] ?? 0,
      framesTotal: item.frameCount,
    })),
    digits: row.digits === null ? [] : parseJson(row.digits),
    hungUpAt: row.hung_up_at === null ? null : parseJson(row.hung_up_at),
    rtp: rtpOf(row),
  };
};

const rtpOf = (row: AttemptRow): RtpFigures => ({
  packetsSent: row.packets_sent,
  packetsRefused: row.packets_refused,
  peerRefusals: row.peer_refusals,
  packetsLost: row.packets_lost,
  jitterMs: row.jitter_ms,
  roundTripMs: row.round_trip_ms,
  mosEstimate: row.mos_estimate,
  latenessMs:
    row.lateness_p50_ms === null || row.lateness_p99_ms === null
      ? null
      : { p50: row.lateness_p50_ms, p99: row.lateness_p99_ms },
});
