import { beforeEach, describe, expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createVirtualClock, type VirtualClock } from '../../test/support/virtual-clock.ts';
import type { TraceBatch } from '../domain/sip-trace.ts';
import type { Transaction } from '../domain/store-port.ts';
import {
  createSipRecorder,
  MAX_BYTES_OF_ATTEMPT,
  MAX_MESSAGES_OF_ATTEMPT,
  MAX_WAITING_BYTES,
  type SipRecorder,
} from './recorder.ts';

const PEER = { transport: 'udp', address: '192.0.2.7', port: 5070 } as const;
const message = (sipCallId = 'a', more = '') =>
  Buffer.from(`BYE sip:b SIP/2.0\r\nCall-ID: ${sipCallId}\r\n\r\n${more}`);

let clock: VirtualClock;
let recorder: SipRecorder;
let batches: TraceBatch[];
let dropped: number;
/** Stands in the way of the store: resolved it lets batches pass, rejected it refuses them. */
let gate: Promise<void>;

beforeEach(() => {
  clock = createVirtualClock();
  batches = [];
  dropped = 0;
  gate = Promise.resolve();
  recorder = createSipRecorder({
    store: {
      transact: async (work) => {
        await gate;
        return work({ keepSipMessages: async (batch: TraceBatch) => void batches.push(batch) } as Transaction);
      },
    },
    localEndOf: async () => ({ address: '192.0.2.1', port: 5060 }),
    nowMs: () => 1_000_000 + clock.nowMs,
    wakeAfter: clock.wakeAfter,
    metrics: {
      noteSipMessagesDropped: (messages) => {
        dropped += messages;
      },
    },
    log: QUIET_LOG,
  });
});

const note = (octets: Uint8Array) => recorder.note('received', octets, PEER);
const times = (count: number, work: () => void) => Array.from({ length: count }, work);
const kept = () => batches.flatMap(({ messages }) => messages);
const omitted = () => batches.flatMap((batch) => batch.omitted);

describe('the recorder', () => {
  it('writes messages of calls in progress a second later, secrets masked, and no others', async () => {
    recorder.begin('a', 'attempt-a');
    note(message('stranger'));
    note(message('a', 'a=crypto:1 S inline:KEY\r\n'));
    await clock.advance(999);
    expect(batches).toEqual([]);
    await clock.advance(1);
    expect(kept()).toEqual([
      {
        attemptId: 'attempt-a',
        direction: 'received',
        transport: 'udp',
        local: { address: '192.0.2.1', port: 5060 },
        remote: { address: '192.0.2.7', port: 5070 },
        seenAt: 1_000_000,
        octets: message('a', 'a=crypto:1 S inline:xxx\r\n'),
      },
    ]);
    expect(clock.waiting).toBe(0);
  });

  it('keeps a copy', async () => {
    recorder.begin('a', 'attempt-a');
    const octets = message();
    note(octets);
    octets.fill(0);
    await recorder.close();
    expect(Buffer.from(kept()[0]?.octets ?? [])).toEqual(message());
  });

  it('keeps so many messages of an attempt, and counts the rest', async () => {
    recorder.begin('a', 'attempt-a');
    times(MAX_MESSAGES_OF_ATTEMPT + 3, () => note(message()));
    await clock.runOut();
    expect(kept()).toHaveLength(MAX_MESSAGES_OF_ATTEMPT);
    expect(omitted()).toEqual([{ attemptId: 'attempt-a', count: 3 }]);
    expect(dropped).toBe(0);
  });

  it('keeps so many octets of an attempt, and counts the rest', async () => {
    recorder.begin('a', 'attempt-a');
    times(3, () => note(message('a', 'x'.repeat(MAX_BYTES_OF_ATTEMPT / 2 - 100))));
    await recorder.close();
    expect(kept()).toHaveLength(2);
    expect(omitted()).toEqual([{ attemptId: 'attempt-a', count: 1 }]);
  });

  it('knows late messages for 32 s after the end', async () => {
    recorder.begin('a', 'attempt-a');
    recorder.end('a');
    await clock.advance(31_000);
    recorder.begin('b', 'attempt-b');
    note(message());
    await clock.advance(1000);
    recorder.begin('c', 'attempt-c');
    note(message());
    await clock.runOut();
    expect(kept().map(({ attemptId }) => attemptId)).toEqual(['attempt-a']);
  });

  it('drops and counts what comes while a slow store holds too much', async () => {
    const slow = Promise.withResolvers<void>();
    gate = slow.promise;
    const large = message('a', 'x'.repeat(60_000));
    const fitting = Math.floor(MAX_WAITING_BYTES / large.length);
    for (let at = 0; at < fitting + 5; at += 1) {
      recorder.begin('a', `attempt-${at}`);
      note(large);
      if (at === 3) await clock.advance(1000);
    }
    expect(dropped).toBe(5);
    slow.resolve();
    await clock.runOut();
    expect(kept()).toHaveLength(fitting);
    expect(omitted()).toHaveLength(5);
    recorder.begin('a', 'later');
    note(large);
    await clock.runOut();
    expect(kept()).toHaveLength(fitting + 1);
  });

  it('survives a store that is gone, and tells what was lost once it is back', async () => {
    gate = Promise.reject(new Error('gone'));
    gate.catch(() => undefined);
    recorder.begin('a', 'attempt-a');
    note(message());
    await clock.advance(1000);
    expect(dropped).toBe(1);
    gate = Promise.resolve();
    note(message());
    await clock.runOut();
    expect(kept()).toHaveLength(1);
    expect(omitted()).toEqual([{ attemptId: 'attempt-a', count: 1 }]);
  });

  it('writes what is left when it closes, and takes nothing more', async () => {
    recorder.begin('a', 'attempt-a');
    note(message());
    await recorder.close();
    note(message());
    expect([kept().length, clock.waiting]).toEqual([1, 0]);
  });
});
