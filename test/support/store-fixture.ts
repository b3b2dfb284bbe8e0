import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { NewBlast } from '../../src/domain/blast.ts';
import type { AttemptResult } from '../../src/domain/call.ts';
import { NO_RTP } from '../../src/domain/call.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { NO_RETRY } from '../../src/domain/retry.ts';
import { NO_SILENCES } from '../../src/domain/silences.ts';
import type {
  ClaimRequest,
  NewApplication,
  NewClip,
  NewNetwork,
  NewTrunk,
  Page,
  Store,
  Transaction,
} from '../../src/domain/store-port.ts';
import { openSqliteStore } from '../../src/store/open-store.ts';
import { openVault } from '../../src/store/vault.ts';
import { QUIET_LOG } from './quiet-log.ts';
import { renditionsOf } from './renditions.ts';

/** A store of its own for one test, and a back door to its rows: what must age is aged there, nothing is waited for. */
export interface StoreFixture {
  readonly store: Store;
  sql(statement: string, ...values: (string | number)[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export const openSqliteFixture = async (): Promise<StoreFixture> => {
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-store-'));
  const path = join(directory, 'ringcast.db');
  const store = await openSqliteStore({ path, vault: await openVault(directory), log: QUIET_LOG });
  const backDoor = new DatabaseSync(path);
  return {
    store,
    sql: async (statement, ...values) => backDoor.prepare(statement).all(...values),
    async close() {
      backDoor.close();
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
};

export const FIRST_PAGE: Page = { limit: 100, cursor: null };

export const application = (changes: Partial<NewApplication> = {}): NewApplication => ({
  id: 'app',
  name: 'Alarms',
  defaultGreetingId: null,
  retry: NO_RETRY,
  priority: 1,
  maxConcurrentCalls: null,
  callsPerSecond: null,
  dialBySeconds: 3600,
  silences: NO_SILENCES,
  ...changes,
});

export const trunk = (changes: Partial<NewTrunk> = {}): NewTrunk => ({
  id: 'trunk',
  host: 'sip.example.net',
  port: 5060,
  transport: 'udp',
  register: false,
  srtp: 'off',
  comedia: false,
  username: 'ringcast',
  password: 'correct horse',
  callerId: '+15550000000',
  allowedPrefixes: ['+1', '+44'],
  maxConcurrentCalls: 10,
  callsPerSecond: 0.5,
  codecs: ['PCMA', 'PCMU'],
  healthCheck: 'options',
  ...changes,
});

export const network = (changes: Partial<NewNetwork> = {}): NewNetwork => ({
  id: 'net',
  name: 'Everybody',
  destinations: ['sip:bob@127.0.0.1:5070'],
  trunkIds: [],
  callerId: null,
  applicationIds: ['app'],
  ...changes,
});

/** A clip whose frames hold `fill`, so that one can be told from another. */
export const LOUDNESS = { sourceLufs: -31.5, lufs: -20, truePeakDbfs: -4.25 };

export const clip = (changes: Partial<NewClip> = {}, fill = 1): NewClip => ({
  id: 'clip',
  mediaId: 'media',
  digest: 'd'.repeat(64),
  originalBytes: 3,
  audio: {
    frameCount: 2,
    type: 'audio/wav',
    loudness: LOUDNESS,
    renditions: renditionsOf(2, (codec) => (codec === 'PCMU' ? fill : fill + 1)),
  },
  ...changes,
});

export const blast = (changes: Partial<NewBlast> = {}): NewBlast => ({
  id: 'blast',
  applicationId: 'app',
  networkId: 'net',
  mediaIds: ['media'],
  greetingId: null,
  playlist: [
    { mediaId: null, clipId: null, frameCount: 5 },
    { mediaId: 'media', clipId: 'clip', frameCount: 2 },
  ],
  retry: NO_RETRY,
  silences: NO_SILENCES,
  dialWithinMs: 60_000,
  ...changes,
});

export const result = (outcome: Outcome, changes: Partial<AttemptResult> = {}): AttemptResult => ({
  outcome,
  sipStatus: null,
  sipReason: null,
  codec: null,
  framesSent: [0, 0],
  rtp: NO_RTP,
  digits: [],
  hungUpAt: null,
  ...changes,
});

/** A claim of up to 100 calls; each dialog is named after a count, each call takes the first trunk of its network. */
export const claim = (changes: Partial<ClaimRequest> = {}): ClaimRequest => {
  let dialogs = 0;
  return {
    limit: 100,
    server: { maxConcurrentCalls: null, callsPerSecond: null },
    trunks: new Map(),
    heldTrunkIds: [],
    destinationSpacingMs: 0,
    plan: (trunkIds, _destination, closed) => {
      dialogs += 1;
      const names = { sipCallId: `call-${dialogs}`, fromTag: `tag-${dialogs}`, branch: `z9hG4bK${dialogs}` };
      return { names, trunkId: trunkIds.find((id) => !closed.includes(id)) ?? null };
    },
    ...changes,
  };
};

/** An application, a network of `destinations`, a media with a clip, and nothing else. */
export const provision = async (tx: Transaction, destinations = ['sip:bob@127.0.0.1:5070']): Promise<void> => {
  await tx.createApplication(application());
  await tx.createNetwork(network({ destinations }));
  await tx.createMedia({ id: 'media', name: 'News', applicationIds: ['app'] });
  await tx.insertClip(clip());
};
