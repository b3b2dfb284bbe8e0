import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FastifyInstance } from 'fastify';
import type { DialerHandle } from '../../src/app/dialer-handle.ts';
import { judgeHead } from '../../src/audio/judge-head.ts';
import { AppError } from '../../src/domain/app-error.ts';
import type { Ingest, Log, RandomSource, RouteHealth } from '../../src/domain/ports.ts';
import { NO_SILENCES } from '../../src/domain/silences.ts';
import type { Store } from '../../src/domain/store-port.ts';
import type { TrunkRegistration, TrunkState } from '../../src/domain/trunk.ts';
import { buildOperatorServer } from '../../src/http/operator-server.ts';
import { buildPublicServer, type PublicLimits } from '../../src/http/public-server.ts';
import { waveformOfUlaw } from '../../src/rtp/peaks.ts';
import { ulawToWav } from '../../src/rtp/ulaw-wav.ts';
import { openSqliteStore } from '../../src/store/open-store.ts';
import { openVault } from '../../src/store/vault.ts';
import { toPcap } from '../../src/trace/pcap.ts';
import { NO_METRICS } from './no-metrics.ts';
import { renditionsOf } from './renditions.ts';

export const KEY = 'key-of-application-one';
export const OTHER_KEY = 'key-of-application-two';
export const OPERATOR_TOKEN = 'operator-token-of-the-tests';
export const GREETING_FRAMES = 7;

const LIMITS: PublicLimits = {
  maxUploadBytes: 64 * 1024,
  maxClipSeconds: 600,
  grantTtlSeconds: 86_400,
  maxWaitingCalls: 1000,
};

export interface FixtureOptions {
  readonly limits?: Partial<PublicLimits>;
  readonly publicUrl?: string;
  readonly idleTimeoutMs?: number;
  /** Whose rows there are before and after; a new SQLite store unless told. */
  readonly store?: Store;
  /** The real one, or none: then anything that begins with "audio" is one frame. */
  readonly makeIngest?: (scratchDirectory: string, log: Log) => Promise<Ingest>;
}

/** What tests turn to see how the servers behave. */
export interface Switches {
  callable: boolean;
  draining: boolean;
  /** Calls dialled in the last minute; null while nothing is overloaded. */
  callsPerMinuteOverloaded: number | null;
  ready: boolean;
  /** Commits fail with this. */
  storeFailure: 'store_unavailable' | 'disk_full' | null;
  /** Work of a transaction throws what no one expects. */
  bug: boolean;
  trunkState: TrunkState;
  stateReason: string | null;
  registration: TrunkRegistration | null;
  /** Frames sent of attempts in progress. */
  framesSent: Map<string, readonly number[]>;
}

export interface Logged {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

export type HttpFixture = Awaited<ReturnType<typeof startHttp>>;

/** Both listeners on loopback over a real database, with the dialer and the trunks played by switches. */
export const startHttp = async (options: FixtureOptions = {}) => {
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-http-'));
  const scratchDirectory = await mkdtemp(join(directory, 'scratch-'));
  const logged: Logged[] = [];
  const waiters = new Set<() => void>();
  const log = noteLog(logged, waiters);
  const databasePath = join(directory, 'ringcast.db');
  const store =
    options.store ?? (await openSqliteStore({ path: databasePath, vault: await openVault(directory), log }));
  const switches: Switches = {
    callable: true,
    draining: false,
    callsPerMinuteOverloaded: null,
    ready: true,
    storeFailure: null,
    bug: false,
    trunkState: 'unknown',
    stateReason: null,
    registration: null,
    framesSent: new Map(),
  };
  const wakeUps = new Set<{ readonly delayMs: number; readonly wake: () => void }>();
  const counters = { wakes: 0, refreshes: 0, cancelled: [] as string[] };
  const newsListeners = new Set<() => void>();
  const events = {
    subscribe(listener: () => void) {
      newsListeners.add(listener);
      return () => void newsListeners.delete(listener);
    },
  };
  const shared = {
    store: failing(store, switches),
    ingest: options.makeIngest ? await options.makeIngest(scratchDirectory, log) : plainIngest,
    judgeHead: options.makeIngest ? judgeHead : async () => Infinity,
    routeHealth: routeHealthOf(switches, counters),
    dialer: dialerOf(switches, counters),
    random,
    metrics: NO_METRICS,
    log,
    scratchDirectory,
    toWaveform: waveformOfUlaw,
    limits: { ...LIMITS, ...options.limits },
    events,
    wakeAfter: (delayMs: number, wake: () => void) => {
      const entry = { delayMs, wake };
      wakeUps.add(entry);
      return () => void wakeUps.delete(entry);
    },
    ...(options.idleTimeoutMs === undefined ? {} : { idleTimeoutMs: options.idleTimeoutMs }),
  };
  const publicServer = buildPublicServer({
    ...shared,
    builtInGreeting: { frameCount: GREETING_FRAMES },
    toWav: ulawToWav,
    publicUrl: options.publicUrl ? new URL(options.publicUrl) : null,
    isReady: () => switches.ready,
  });
  const operatorServer = buildOperatorServer({
    ...shared,
    exposition: { contentType: 'text/plain', read: async () => '' },
    toPcap,
    operatorToken: OPERATOR_TOKEN,
  });
  const publicPort = await listen(publicServer);
  const operatorPort = await listen(operatorServer);
  await seed(store);
  return {
    store,
    switches,
    counters,
    /** What waits for its time; the test is the clock. */
    wakeUps,
    logged,
    /** Publishes what is committed, and tells the streams. */
    async publish(): Promise<void> {
      await store.transact((tx) => tx.publishEvents());
      for (const listener of newsListeners) listener();
    },
    publicPort,
    publicUrl: `http://127.0.0.1:${publicPort}`,
    operatorUrl: `http://127.0.0.1:${operatorPort}`,
    operatorPort,
    /** Resolves when something was logged that fits, the first `seen` entries left out. */
    async untilLogged(fits: (entry: Logged) => boolean, seen = 0): Promise<void> {
      while (!logged.slice(seen).some(fits)) await new Promise<void>((resolve) => waiters.add(resolve));
    },
    /** Ages and breaks rows behind the store's back. */
    sql(statement: string, ...values: (string | number)[]): unknown[] {
      const database = new DatabaseSync(databasePath);
      try {
        return database.prepare(statement).all(...values);
      } finally {
        database.close();
      }
    },
    closePublic: () => publicServer.close(),
    scratchFiles: () => readdir(scratchDirectory),
    async close(): Promise<void> {
      await Promise.all([publicServer.close(), operatorServer.close()]);
      if (!options.store) await store.close();
      await rm(directory, { recursive: true });
    },
  };
};

const listen = async (server: FastifyInstance): Promise<number> => {
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
};

const noteLog = (logged: Logged[], waiters: Set<() => void>): Log => {
  const note =
    (level: string) =>
    (fields: object, message: string): void => {
      logged.push({ level, fields: { ...fields }, message });
      for (const wake of waiters) wake();
      waiters.clear();
    };
  return { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
};

/** The store, whose commits fail when the switch says so: the work is done, then lost. */
const failing = (store: Store, switches: Switches): Store => ({
  ...store,
  transact: (work) =>
    store.transact(async (tx) => {
      const result = await work(tx);
      if (switches.bug) throw new TypeError('a bug');
      if (switches.storeFailure) throw new AppError(switches.storeFailure, 'The commit failed.');
      return result;
    }),
});

const random: RandomSource = {
  digits: (length) => Array.from({ length }, () => randomInt(10)).join(''),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
};

const routeHealthOf = (switches: Switches, counters: { refreshes: number }): RouteHealth => ({
  trunkState: () => switches.trunkState,
  stateReason: () => switches.stateReason,
  isDegraded: () => switches.stateReason !== null,
  registration: () => switches.registration,
  admission: () => 'open',
  isCallable: () => switches.callable,
  refresh: () => {
    counters.refreshes += 1;
  },
});

const dialerOf = (switches: Switches, counters: { wakes: number; cancelled: string[] }): DialerHandle => ({
  wake: () => {
    counters.wakes += 1;
  },
  cancel: (attemptIds) => void counters.cancelled.push(...attemptIds),
  framesSent: (attemptId) => switches.framesSent.get(attemptId) ?? null,
  isDraining: () => switches.draining,
  callsPerMinuteOverloaded: () => switches.callsPerMinuteOverloaded,
});

/** Anything that begins with "audio" is one frame. */
export const plainIngest: Ingest = async (path) => {
  const octets = await readFile(path);
  if (!octets.toString('latin1').startsWith('audio')) throw new AppError('not_audio', 'The file is not audio.');
  return oneFrame;
};

const LOUDNESS = { sourceLufs: -31.04, lufs: -20, truePeakDbfs: -6.25 };
const oneFrame = { frameCount: 1, type: 'audio/x-test', renditions: renditionsOf(1, 0x55), loudness: LOUDNESS };

/**
 * Application 1 with network 1 (two SIP phones), media 101, 102, 900 (clips) and 103 (empty);
 * application 2 with network 2 and media 201 (a clip).
 */
const seed = (store: Store): Promise<void> =>
  store.transact(async (tx) => {
    for (const [id, key] of [
      ['1', KEY],
      ['2', OTHER_KEY],
    ] as const) {
      await tx.createApplication({
        id,
        name: `Application ${id}`,
        defaultGreetingId: null,
        retry: { maxAttempts: 1, delaySeconds: 60, on: [] },
        priority: 1,
        maxConcurrentCalls: null,
        callsPerSecond: null,
        dialBySeconds: 3600,
        silences: NO_SILENCES,
      });
      await tx.createAppKey(id, key);
      await tx.createNetwork({
        id,
        name: '',
        destinations: ['sip:a@127.0.0.1:5070', 'sip:b@127.0.0.1:5071'],
        trunkIds: [],
        callerId: null,
        applicationIds: [id],
      });
    }
    for (const [mediaId, applicationId, frames] of MEDIA) {
      await tx.createMedia({ id: mediaId, name: `Media ${mediaId}`, applicationIds: [applicationId] });
      if (frames > 0) await tx.insertClip(clipOf(mediaId, frames));
    }
  });

const MEDIA = [
  ['101', '1', 1],
  ['102', '1', 2],
  ['103', '1', 0],
  ['900', '1', 9],
  ['201', '2', 1],
] as const;

const clipOf = (mediaId: string, frameCount: number) => {
  const renditions = renditionsOf(frameCount, Number(mediaId) % 100);
  return {
    id: `clip-${mediaId}`,
    mediaId,
    digest: '00',
    originalBytes: 1,
    audio: { frameCount, type: 'audio/x-test', renditions, loudness: null },
  };
};
