import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClipCache } from '../../src/app/clip-cache.ts';
import { createDialer, type Dialer, type DialerOptions } from '../../src/app/dialer.ts';
import { random } from '../../src/clock.ts';
import type { AttemptResult, CallOrder } from '../../src/domain/call.ts';
import { NO_RTP } from '../../src/domain/call.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import type { CallProgress } from '../../src/domain/ports.ts';
import { NO_RETRY } from '../../src/domain/retry.ts';
import { NO_SILENCES } from '../../src/domain/silences.ts';
import type { Admission, TrunkState } from '../../src/domain/trunk.ts';
import { openSqliteStore } from '../../src/store/open-store.ts';
import { openVault } from '../../src/store/vault.ts';
import { NO_METRICS } from './no-metrics.ts';
import { QUIET_LOG } from './quiet-log.ts';
import { renditionsOf } from './renditions.ts';
import { STEADY } from './steady.ts';

const NO_LIMITS = { priority: 1, maxConcurrentCalls: null, callsPerSecond: null, dialBySeconds: 3600 };
const GREETING = { frameCount: 1, renditions: renditionsOf(1, 0) };

/** A phone line in the test's hands: what was dialled, and the means to end it. */
interface Dialled {
  readonly order: CallOrder;
  readonly progress: (progress: CallProgress) => void;
  readonly end: (outcome: Outcome) => void;
  cancelled: boolean;
}

const resultOf = (outcome: Outcome): AttemptResult => ({
  outcome,
  sipStatus: null,
  sipReason: null,
  codec: null,
  framesSent: [1],
  rtp: { ...NO_RTP, packetsSent: 1 },
  digits: [],
  hungUpAt: null,
});

export type DialerFixture = Awaited<ReturnType<typeof openDialerFixture>>;

/** A dialer over a real store, whose phone line, timers and trunks are in the test's hands. */
export const openDialerFixture = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-dialer-'));
  const vault = await openVault(directory);
  const store = await openSqliteStore({ path: join(directory, 'test.db'), vault, log: QUIET_LOG });
  const dialled: Dialled[] = [];
  const timers: { delayMs: number; wake: () => void }[] = [];
  const trunkStates = new Map<string, TrunkState>();
  const admissions = new Map<string, Admission>();
  /** How much later it is than by the clock of the machine. */
  const clock = { lateMs: 0 };
  const switches = { mayDial: true };
  let onDialled = (): void => {};

  const dialerOf = (
    limits: Partial<
      Pick<
        DialerOptions,
        'maxConcurrentCalls' | 'callsPerSecond' | 'store' | 'metrics' | 'isOverloaded' | 'capacity' | 'clips' | 'log'
      >
    > = {},
  ): Dialer => {
    const used = limits.store ?? store;
    return createDialer({
      store: used,
      mayDial: () => switches.mayDial,
      placeCall: (order, progress) => {
        const { promise, resolve } = Promise.withResolvers<AttemptResult>();
        const call: Dialled = { order, progress, end: (outcome) => resolve(resultOf(outcome)), cancelled: false };
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
      routeHealth: {
        trunkState: (id) => trunkStates.get(id) ?? 'unknown',
        isDegraded: () => false,
        admission: (id) => admissions.get(id) ?? 'open',
      },
      isOverloaded: limits.isOverloaded ?? (() => false),
      capacity: limits.capacity ?? (() => 1000),
      clips: limits.clips ?? createClipCache({ store: used, greeting: GREETING, maxBytes: 1000 }),
      random,
      wakeAfter: (delayMs, wake) => {
        const timer = { delayMs, wake };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0);
      },
      clock: STEADY,
      monotonicMs: () => performance.now() + clock.lateMs,
      metrics: limits.metrics ?? NO_METRICS,
      log: limits.log ?? QUIET_LOG,
      maxConcurrentCalls: limits.maxConcurrentCalls ?? 10,
      callsPerSecond: limits.callsPerSecond ?? 1_000_000,
      destinationSpacingMs: 0,
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
      const application = {
        id: null,
        name: 'a',
        defaultGreetingId: null,
        retry: NO_RETRY,
        silences: NO_SILENCES,
        ...NO_LIMITS,
      };
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
        silences: NO_SILENCES,
        dialWithinMs,
      });
    });
  };

  const makeTrunk = (
    id: string,
    allowedPrefixes: readonly string[] = ['+'],
    credentials: { username: string; password: string } | null = null,
  ): Promise<string> =>
    store.transact((tx) =>
      tx.createTrunk({
        id,
        host: '127.0.0.1',
        port: 5060,
        transport: 'udp',
        register: false,
        srtp: 'off',
        comedia: false,
        username: credentials?.username ?? null,
        password: credentials?.password ?? null,
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

  const close = async (): Promise<void> => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  };
  return {
    store,
    dialled,
    timers,
    clock,
    switches,
    trunkStates,
    admissions,
    dialerOf,
    acceptBlast,
    makeTrunk,
    dialledCalls,
    outcomesOf,
    finished,
    close,
  };
};
