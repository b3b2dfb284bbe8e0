import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_METRICS } from '../../test/support/no-metrics.ts';
import { random } from '../clock.ts';
import type { AttemptResult, CallOrder } from '../domain/call.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Log } from '../domain/ports.ts';
import { NO_RETRY } from '../domain/retry.ts';
import type { Store } from '../domain/store-port.ts';
import type { TrunkState } from '../domain/trunk.ts';
import { openSqliteStore } from '../store/open-store.ts';
import { openVault } from '../store/vault.ts';
import { createClipCache } from './clip-cache.ts';
import { createDialer, type Dialer, type DialerOptions } from './dialer.ts';

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
const GREETING = { frameCount: 1, renditions: { PCMU: new Uint8Array(160), PCMA: new Uint8Array(160) } };

/** A phone line in the test's hands: what was dialled, and the means to end it. */
interface Dialled {
  readonly order: CallOrder;
  readonly end: (outcome: Outcome) => void;
  cancelled: boolean;
}

let directory: string;
let store: Store;
let dialled: Dialled[];
let onDialled: () => void;
let timers: { delayMs: number; wake: () => void }[];
let trunkStates: Map<string, TrunkState>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-dialer-'));
  const vault = await openVault(directory);
  store = await openSqliteStore({ path: join(directory, 'test.db'), vault, log: SILENT });
  dialled = [];
  onDialled = () => {};
  timers = [];
  trunkStates = new Map();
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const resultOf = (outcome: Outcome): AttemptResult => ({
  outcome,
  sipStatus: null,
  sipReason: null,
  codec: null,
  framesSent: [1],
  rtp: { packetsSent: 1, packetsLost: null, jitterMs: null },
});

const dialerOf = (
  limits: { maxConcurrentCalls?: number; store?: Store; metrics?: DialerOptions['metrics'] } = {},
): Dialer => {
  const used = limits.store ?? store;
  return createDialer({
    store: used,
    placeCall: (order) => {
      const { promise, resolve } = Promise.withResolvers<AttemptResult>();
      const call: Dialled = { order, end: (outcome) => resolve(resultOf(outcome)), cancelled: false };
      dialled.push(call);
      onDialled();
      return {
        result: promise,
        cancel() {
          call.cancelled = true;
          if (!order.destination.includes('deaf')) call.end('cancelled');
        },
        framesSent: () => [7],
      };
    },
    routeHealth: { trunkState: (id) => trunkStates.get(id) ?? 'unknown' },
    clips: createClipCache({ store: used, greeting: GREETING, maxBytes: 1000 }),
    random,
    wakeAfter: (delayMs, wake) => {
      const timer = { delayMs, wake };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0);
    },
    monotonicMs: () => performance.now(),
    metrics: limits.metrics ?? NO_METRICS,
    log: SILENT,
    maxConcurrentCalls: limits.maxConcurrentCalls ?? 10,
    callsPerSecond: 10_000,
    ringTimeoutMs: 1000,
  });
};

const acceptBlast = async (
  id: string,
  destinations: readonly string[],
  trunkIds: readonly string[] = [],
  dialWithinMs = 60_000,
): Promise<void> => {
  await store.transact(async (tx) => {
    const application = { id: null, name: 'a', defaultGreetingId: null, retry: NO_RETRY };
    const applicationId = await tx.createApplication(application);
    const network = { id: null, name: 'n', destinations, trunkIds, callerId: null, applicationIds: [applicationId] };
    const networkId = await tx.createNetwork(network);
    await tx.insertBlast({
      id,
      applicationId,
      networkId,
      mediaIds: [],
      greetingId: null,
      playlist: [{ mediaId: null, clipId: null, frameCount: 1 }],
      retry: NO_RETRY,
      dialWithinMs,
    });
  });
};

const makeTrunk = (id: string, allowedPrefixes: readonly string[] = ['+']): Promise<string> =>
  store.transact((tx) =>
    tx.createTrunk({
      id,
      host: '127.0.0.1',
      port: 5060,
      transport: 'udp',
      username: null,
      password: null,
      callerId: null,
      allowedPrefixes,
      maxConcurrentCalls: null,
      callsPerSecond: null,
      codecs: ['PCMA'],
      healthCheck: 'none',
    }),
  );

/** Resolves when so many calls were dialled in all. */
const dialledCalls = (count: number): Promise<void> =>
  new Promise((resolve) => {
    onDialled = () => dialled.length >= count && resolve();
    onDialled();
  });

const outcomesOf = async (blastId: string): Promise<(Outcome | null)[]> =>
  (await store.view((views) => views.findBlast(blastId)))?.calls.map((call) => call.outcome) ?? [];

/** Resolves when every call of the blast has its outcome. */
const finished = async (blastId: string): Promise<(Outcome | null)[]> => {
  for (;;) {
    await new Promise(setImmediate);
    const outcomes = await outcomesOf(blastId);
    if (outcomes.every((outcome) => outcome !== null)) return outcomes;
  }
};

describe('the dialer', () => {
  it('commits the attempt with the names of its dialog before it dials', async () => {
    await acceptBlast('1', ['sip:a@127.0.0.1']);
    const dialer = dialerOf();
    dialer.start();
    await dialledCalls(1);
    const committed = (await store.view((views) => views.findBlast('1')))?.calls[0]?.attempts[0]?.sipCallId;
    expect(dialled[0]?.order.sipCallId).toBe(committed);
    expect(dialled[0]?.order.branch).toMatch(/^z9hG4bK/);
    dialled[0]?.end('completed');
    expect(await finished('1')).toEqual(['completed']);
  });

  it('notes the calls that expired, once they are committed as such', async () => {
    await acceptBlast('1', ['sip:a@127.0.0.1', 'sip:b@127.0.0.1'], [], 0);
    const noted: [Outcome, number][] = [];
    const noteEndedUndialled = (outcome: Outcome, calls: number) => void (calls > 0 && noted.push([outcome, calls]));
    dialerOf({ metrics: { ...NO_METRICS, noteEndedUndialled } }).start();
    expect(await finished('1')).toEqual(['expired', 'expired']);
    expect(noted).toEqual([['expired', 2]]);
    expect(dialled).toEqual([]);
  });

  it('wakes for a blast that is accepted later', async () => {
    const dialer = dialerOf();
    dialer.start();
    await acceptBlast('1', ['sip:a@127.0.0.1']);
    dialer.wake();
    await dialledCalls(1);
    expect(dialer.framesSent(dialled[0]?.order.attemptId ?? '')).toEqual([7]);
    dialled[0]?.end('busy');
    expect(await finished('1')).toEqual(['busy']);
  });

  it('keeps to the number of calls at once', async () => {
    await acceptBlast('1', ['sip:a@127.0.0.1', 'sip:b@127.0.0.1', 'sip:c@127.0.0.1']);
    const dialer = dialerOf({ maxConcurrentCalls: 2 });
    dialer.start();
    await dialledCalls(2);
    expect(dialled).toHaveLength(2);
    dialled[0]?.end('completed');
    await dialledCalls(3);
    for (const call of dialled) call.end('completed');
    expect(await finished('1')).toEqual(['completed', 'completed', 'completed']);
  });

  it('takes the first trunk that is up and allows the number', async () => {
    await makeTrunk('down');
    await makeTrunk('elsewhere', ['+44']);
    await makeTrunk('good', ['+1555']);
    trunkStates.set('down', 'down');
    await acceptBlast('1', ['+15551230000'], ['down', 'elsewhere', 'good']);
    dialerOf().start();
    await dialledCalls(1);
    expect(dialled[0]?.order).toMatchObject({ trunk: { id: 'good' }, codecs: ['PCMA'] });
    dialled[0]?.end('completed');
    await finished('1');
  });

  it('knows a trunk that is as young as its first blast', async () => {
    let isMade = false;
    const busy: Store = {
      ...store,
      // Trunk and blast are committed right before the claim, after everything else that the dialer looked at.
      transact: async (work) => {
        if (!isMade) {
          isMade = true;
          await makeTrunk('young');
          await acceptBlast('1', ['+15551230000'], ['young']);
        }
        return store.transact(work);
      },
    };
    dialerOf({ store: busy }).start();
    await dialledCalls(1);
    expect(dialled[0]?.order.trunk?.id).toBe('young');
    dialled[0]?.end('completed');
    expect(await finished('1')).toEqual(['completed']);
  });

  it('does not dial a number that no trunk allows any more', async () => {
    await makeTrunk('t', ['+44']);
    await acceptBlast('1', ['+15551230000'], ['t']);
    dialerOf().start();
    expect(await finished('1')).toEqual(['failed']);
    expect(dialled).toEqual([]);
  });

  it('hangs up what is cancelled', async () => {
    await acceptBlast('1', ['sip:a@127.0.0.1']);
    const dialer = dialerOf();
    dialer.start();
    await dialledCalls(1);
    dialer.cancel([dialled[0]?.order.attemptId ?? '', 'unknown']);
    expect(await finished('1')).toEqual(['cancelled']);
  });

  it('does not dial what was cancelled while it was being claimed', async () => {
    await acceptBlast('1', ['sip:a@127.0.0.1']);
    const dialer = dialerOf();
    dialer.start();
    const cancelled = await store.transact((tx) => tx.cancelBlast('1'));
    dialer.cancel(cancelled?.attemptIds ?? []);
    expect(await finished('1')).toEqual(['cancelled']);
    expect(dialled.every((call) => call.cancelled)).toBe(true);
  });

  it('records an outcome again until the store takes it', async () => {
    await acceptBlast('1', ['sip:a@127.0.0.1']);
    let refusals = 0;
    let isAway = false;
    const failing: Store = {
      ...store,
      transact: (work) => {
        if (!isAway) return store.transact(work);
        refusals += 1;
        return Promise.reject(new Error('away'));
      },
    };
    dialerOf({ store: failing }).start();
    await dialledCalls(1);
    isAway = true;
    dialled[0]?.end('completed');
    while (refusals < 3) {
      await new Promise(setImmediate);
      for (const timer of timers.splice(0)) timer.wake();
    }
    isAway = false;
    for (const timer of timers.splice(0)) timer.wake();
    expect(await finished('1')).toEqual(['completed']);
  });

  it('drains: takes nothing new and waits for calls in progress', async () => {
    await acceptBlast('1', ['sip:a@127.0.0.1']);
    const dialer = dialerOf();
    dialer.start();
    await dialledCalls(1);
    const drained = dialer.drain(60_000);
    expect(dialer.isDraining()).toBe(true);
    await acceptBlast('2', ['sip:b@127.0.0.1']);
    dialer.wake();
    dialled[0]?.end('completed');
    await drained;
    expect([await outcomesOf('1'), await outcomesOf('2')]).toEqual([['completed'], [null]]);
  });

  it('drains: what does not end in time is hung up and interrupted', async () => {
    await acceptBlast('1', ['sip:a@127.0.0.1']);
    const dialer = dialerOf();
    dialer.start();
    await dialledCalls(1);
    const drained = dialer.drain(30_000);
    timers.find(({ delayMs }) => delayMs === 30_000)?.wake();
    await drained;
    expect([dialled[0]?.cancelled, await outcomesOf('1')]).toEqual([true, ['interrupted']]);
  });

  it('drains: a peer that does not even answer the farewell holds nobody up', async () => {
    await acceptBlast('1', ['sip:deaf@127.0.0.1']);
    const dialer = dialerOf();
    dialer.start();
    await dialledCalls(1);
    const drained = dialer.drain(30_000);
    timers.find(({ delayMs }) => delayMs === 30_000)?.wake();
    expect(dialled[0]?.cancelled).toBe(true);
    timers.find(({ delayMs }) => delayMs === 5_000)?.wake();
    await drained;
    expect(await outcomesOf('1')).toEqual([null]);
    dialled[0]?.end('interrupted');
    await finished('1');
  });
});
