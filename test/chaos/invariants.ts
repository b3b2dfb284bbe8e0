import { type CarrierEvent, type CarrierEventType, ENDINGS, openDialogs } from './carrier-event.ts';
import type { AttemptRow, DatabaseRecord, Evidence } from './evidence.ts';

type Check = (evidence: Evidence) => readonly string[];

/** Every sentence of what must hold when the dust has settled, with its check: what it returns are violations. */
export const INVARIANTS: Readonly<Record<string, Check>> = {
  'every 202 has a record': ({ posts, record }) => {
    const calls = countBy(record.calls, ({ blast_id }) => blast_id);
    const byKey = new Map(record.keys.map(({ idempotency_key, blast_id }) => [idempotency_key, blast_id]));
    return posts
      .filter((post) => calls.get(post.blastId) !== post.calls || byKey.get(post.idempotencyKey) !== post.blastId)
      .map(({ blastId }) => `blast ${blastId}`);
  },
  'one key, one blast': ({ posts, record }) => [
    ...repeated(posts.map(({ idempotencyKey }) => idempotencyKey)),
    ...repeated(record.keys.map(({ blast_id }) => blast_id)),
  ],
  'every call ends in one outcome': ({ record }) => {
    const last = new Map(record.attempts.map((attempt) => [attempt.call_seq, attempt]));
    return record.calls
      .filter(({ seq, state, outcome }) => {
        const attempt = last.get(seq);
        const isOwn = attempt === undefined || attempt.outcome === outcome || outcome === 'cancelled';
        return state !== 'finished' || outcome === null || !isOwn;
      })
      .map((call) => JSON.stringify(call));
  },
  'at most one INVITE dialog per attempt': ({ carrier, record }) => [
    ...repeated(record.attempts.map(({ sip_call_id }) => sip_call_id)),
    ...repeated(carrier.filter(({ type }) => type === 'invite').map(({ sipCallId }) => sipCallId)),
  ],
  'never a second attempt after an answer': ({ carrier, record }) => {
    const answered = seen(carrier, 'answered');
    const last = countBy(record.attempts, ({ call_seq }) => call_seq);
    return record.attempts
      .filter(({ sip_call_id, number, call_seq }) => answered.has(sip_call_id) && number < (last.get(call_seq) ?? 0))
      .map(nameOf);
  },
  'never two attempts of a call at once': ({ carrier, record }) => {
    const invitedAt = new Map(
      carrier.filter(({ type }) => type === 'invite').map(({ sipCallId, at }) => [sipCallId, at]),
    );
    const endedAt = new Map(
      carrier.filter(({ type }) => ENDINGS.includes(type)).map(({ sipCallId, at }) => [sipCallId, at]),
    );
    const attempts = new Map(record.attempts.map((attempt) => [`${attempt.call_seq} ${attempt.number}`, attempt]));
    return record.attempts
      .filter(({ call_seq, number, sip_call_id }) => {
        const before = attempts.get(`${call_seq} ${number - 1}`)?.sip_call_id ?? '';
        const at = invitedAt.get(sip_call_id);
        return at !== undefined && invitedAt.has(before) && (endedAt.get(before) ?? Number.POSITIVE_INFINITY) > at;
      })
      .map(nameOf);
  },
  'no call without a record': ({ carrier, record }) => {
    const known = new Set(record.attempts.map(({ sip_call_id }) => sip_call_id));
    return [...new Set(carrier.map(({ sipCallId }) => sipCallId))].filter((sipCallId) => !known.has(sipCallId));
  },
  'the outcome is what the carrier saw': ({ carrier, record }) => {
    const answered = seen(carrier, 'answered');
    const refused = seen(carrier, 'refused');
    return record.attempts
      .filter(
        ({ sip_call_id, outcome }) =>
          (['completed', 'hung_up'].includes(outcome ?? '') && !answered.has(sip_call_id)) ||
          (outcome === 'busy' && !refused.has(sip_call_id)),
      )
      .map(nameOf);
  },
  'at most one committed upload per grant': ({ uploads, record }) => {
    const clips = countBy(record.clips, ({ media_id }) => media_id);
    const spent = new Set(record.grants.filter(({ clip_id }) => clip_id !== null).map(({ media_id }) => media_id));
    const current = new Map(record.media.map(({ id, clip_id }) => [id, clip_id]));
    return uploads
      .filter(({ mediaId, created }) => {
        const isKept = spent.has(mediaId) && current.get(mediaId) !== null;
        return created > 1 || (clips.get(mediaId) ?? 0) > 1 || (created === 1 && !isKept);
      })
      .map(({ mediaId, created }) => `media ${mediaId}, ${created} answers 201`);
  },
  'nothing is left open': ({ carrier, record }) => [
    ...record.blasts.filter(({ state }) => state === 'active').map(({ id }) => `blast ${id}`),
    ...record.attempts.filter(({ ended_at }) => ended_at === null).map(nameOf),
    ...endable(record, openDialogs(carrier)),
    ...record.grants.filter(({ state }) => state === 'claimed').map(({ media_id }) => `grant of media ${media_id}`),
    ...record.staged.map(({ clip_id }) => `staged clip ${clip_id}`),
    ...(record.undialled.reduce((sum, { value }) => sum + value, 0) === 0 ? [] : ['the count of undialled calls']),
  ],
};

/** What does not hold, each with its examples; empty if all is well. */
export const violationsOf = (evidence: Evidence): readonly string[] =>
  Object.entries(INVARIANTS).flatMap(([sentence, check]) =>
    check(evidence).map((example) => `${sentence}: ${example}`),
  );

const nameOf = ({ call_seq, number, sip_call_id }: AttemptRow): string =>
  `attempt ${number} of call ${call_seq} (${sip_call_id})`;

/** Of open dialogs those of which enough was recorded that another node could end them. */
const endable = ({ attempts }: DatabaseRecord, open: readonly string[]): readonly string[] => {
  const recorded = new Set(attempts.filter(({ ringing_at }) => ringing_at !== null).map((row) => row.sip_call_id));
  return open.filter((sipCallId) => recorded.has(sipCallId)).map((sipCallId) => `dialog ${sipCallId} at the carrier`);
};

const seen = (carrier: readonly CarrierEvent[], wanted: CarrierEventType): ReadonlySet<string> =>
  new Set(carrier.filter(({ type }) => type === wanted).map(({ sipCallId }) => sipCallId));

const countBy = <T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, number> => {
  const counts = new Map<K, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
};

const repeated = (names: readonly string[]): readonly string[] =>
  [...countBy(names, (name) => name)].filter(([, count]) => count > 1).map(([name]) => name);
