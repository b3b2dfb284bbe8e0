import { describe, expect, it } from 'vitest';
import type { CarrierEvent, CarrierEventType } from './carrier-event.ts';
import type { DatabaseRecord, Evidence } from './evidence.ts';
import { INVARIANTS, violationsOf } from './invariants.ts';

const event = (at: number, type: CarrierEventType, sipCallId = 'c1'): CarrierEvent => ({
  at,
  type,
  sipCallId,
  branch: 'z9hG4bKx',
});
const attempt = { call_seq: 1, number: 1, sip_call_id: 'c1', ringing_at: 2, ended_at: 9, outcome: 'completed' };
const second = { ...attempt, number: 2, sip_call_id: 'c2' };
const record: DatabaseRecord = {
  blasts: [{ id: 'b1', state: 'finished' }],
  calls: [{ seq: 1, blast_id: 'b1', state: 'finished', outcome: 'completed' }],
  attempts: [attempt],
  keys: [{ idempotency_key: 'k1', blast_id: 'b1' }],
  grants: [{ media_id: 'm1', state: 'spent', clip_id: 'clip1' }],
  media: [{ id: 'm1', clip_id: 'clip1' }],
  clips: [{ id: 'clip1', media_id: 'm1' }],
  staged: [],
  undialled: [{ value: 1 }, { value: -1 }],
};
const carrier = [event(1, 'invite'), event(2, 'answered'), event(3, 'acknowledged'), event(4, 'bye')];
const sound: Evidence = {
  posts: [{ idempotencyKey: 'k1', blastId: 'b1', calls: 1 }],
  uploads: [{ mediaId: 'm1', created: 1 }],
  carrier,
  record,
};
const with_ = (changed: Partial<DatabaseRecord>, heard: readonly CarrierEvent[] = carrier): Evidence => ({
  ...sound,
  carrier: heard,
  record: { ...record, ...changed },
});

const retried = [event(1, 'invite'), event(2, 'refused'), event(3, 'invite', 'c2'), event(4, 'refused', 'c2')];
const busy = { outcome: 'busy' };

/** Evidence against each invariant. */
const BROKEN: Readonly<Record<string, readonly Evidence[]>> = {
  'every 202 has a record': [
    { ...sound, posts: [...sound.posts, { idempotencyKey: 'k2', blastId: 'b2', calls: 1 }] },
    { ...sound, posts: [{ idempotencyKey: 'k1', blastId: 'b1', calls: 2 }] },
    with_({ keys: [{ idempotency_key: 'k1', blast_id: 'b9' }] }),
  ],
  'one key, one blast': [{ ...sound, posts: [...sound.posts, ...sound.posts] }],
  'every call ends in one outcome': [
    with_({ calls: [{ seq: 1, blast_id: 'b1', state: 'playing', outcome: null }] }),
    with_({ calls: [{ seq: 1, blast_id: 'b1', state: 'finished', outcome: null }] }),
    with_({ calls: [{ seq: 1, blast_id: 'b1', state: 'finished', outcome: 'busy' }] }),
  ],
  'at most one INVITE dialog per attempt': [with_({}, [...carrier, event(5, 'invite')])],
  'never a second attempt after an answer': [
    with_({ attempts: [attempt, second] }, [...carrier, ...carrier.map((heard) => ({ ...heard, sipCallId: 'c2' }))]),
  ],
  'never two attempts of a call at once': [
    with_(
      {
        attempts: [
          { ...attempt, ...busy },
          { ...second, ...busy },
        ],
      },
      [event(1, 'invite'), event(2, 'invite', 'c2'), event(3, 'refused'), event(4, 'refused', 'c2')],
    ),
  ],
  'no call without a record': [with_({}, [...carrier, event(1, 'invite', 'c7'), event(2, 'refused', 'c7')])],
  'the outcome is what the carrier saw': [
    with_({}, [event(1, 'invite'), event(2, 'cancelled')]),
    with_({ attempts: [{ ...attempt, outcome: 'busy' }] }),
  ],
  'at most one committed upload per grant': [
    { ...sound, uploads: [{ mediaId: 'm1', created: 2 }] },
    with_({ clips: [...record.clips, { id: 'clip2', media_id: 'm1' }] }),
    with_({ grants: [{ media_id: 'm1', state: 'open', clip_id: null }] }),
  ],
  'nothing is left open': [
    with_({ blasts: [{ id: 'b1', state: 'active' }] }),
    with_({ attempts: [{ ...attempt, ended_at: null }] }),
    with_({}, carrier.slice(0, 3)),
    with_({ grants: [{ media_id: 'm1', state: 'claimed', clip_id: null }] }),
    with_({ staged: [{ clip_id: 'clip9' }] }),
    with_({ undialled: [{ value: 1 }] }),
  ],
};

describe('the checker of chaos', () => {
  it('finds nothing where all is well, a retry by rule included', () => {
    expect(violationsOf(sound)).toEqual([]);
    const both = [
      { ...attempt, ...busy },
      { ...second, ...busy },
    ];
    const calls = [{ seq: 1, blast_id: 'b1', state: 'finished', outcome: 'busy' }];
    expect(violationsOf(with_({ attempts: both, calls }, retried))).toEqual([]);
  });

  it.each(Object.keys(INVARIANTS))('sees when it does not hold that %s', (sentence) => {
    const broken = BROKEN[sentence] ?? [];
    expect(broken.length).toBeGreaterThan(0);
    for (const evidence of broken)
      expect(violationsOf(evidence).filter((violation) => violation.startsWith(`${sentence}: `))).not.toEqual([]);
  });
});
