import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { apiOf } from '../support/ringcast.ts';
import { makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';
import { seededRandom } from '../support/seeded-network.ts';
import { readCarrierLog } from './carrier-event.ts';
import { type Account, type Clients, createClients } from './clients.ts';
import { type Database, type Evidence, openPostgres, openSqliteFile, readRecord } from './evidence.ts';
import { createFleet, type Fleet, type FleetNode, type NodeOrder } from './fleet.ts';

export interface SiteOptions {
  readonly directory: string;
  /** Of a PostgreSQL database of its own; null for SQLite. */
  readonly databaseUrl: string | null;
  readonly seed: number;
}

/** A carrier, a database and clients; the nodes come and go. */
export interface Site {
  readonly fleet: Fleet;
  readonly clients: Clients;
  readonly random: () => number;
  /** Starts a node in place `slot`, where at most one runs at once. */
  start(
    slot: number,
    order?: Omit<NodeOrder, 'dataDirectory' | 'environment'>,
    databaseUrl?: string,
  ): Promise<FleetNode | null>;
  /** Resolves when that node was taken over. */
  takenOver(nodeId: string): Promise<void>;
  /** Resolves when those that were taken over are back, and nobody else is thought to stand. */
  allStand(): Promise<void>;
  /** Waits until nothing is left to do, stops the nodes, and tells what all of it left behind. */
  settle(): Promise<Evidence>;
  close(): Promise<void>;
}

/** Whatever a number does, some do. */
const NUMBERS = ['answer', 'answer-too', 'talk', 'busy', 'ring'];
/** A destination has one call at a time, so that there must be enough of them. */
const NETWORKS = 100;
/** A busy or silent number is called again, once. */
const RETRY = { maxAttempts: 2, delaySeconds: 1, on: ['busy', 'no_answer', 'unreachable'] };
const LOOK_MS = 200;
const PLACES = 4;
let sites = 0;
/**
 * A node keeps its port when it is started again, since peers go on speaking to it: one below those that the system gives
 * away meanwhile, and other ones for each site of each process.
 */
const nextSipPorts = (): number => 1100 + ((process.pid + sites++) % 200) * PLACES;
/** Longer than any lease and any retry; on a machine that has much else to do too. */
const STANDSTILL_MS = 300_000;

export const openSite = async ({ directory, databaseUrl, seed }: SiteOptions): Promise<Site> => {
  const random = seededRandom(seed);
  const firstSipPort = nextSipPorts();
  const carrierLog = join(directory, 'carrier.log');
  const carrier = await startCarrier(carrierLog);
  const fleet = createFleet(random);
  const folderOf = (slot: number): string => join(directory, `node-${slot}`);

  const start: Site['start'] = async (slot, order = {}, url = databaseUrl ?? undefined) => {
    const dataDirectory = folderOf(slot);
    const isNew = await mkdir(dataDirectory, { recursive: true });
    if (isNew && slot > 0) await copyFile(join(folderOf(0), 'secret'), join(dataDirectory, 'secret'));
    const environment = {
      // Written by the first node, which may end: half of a start is compiling.
      NODE_COMPILE_CACHE: join(directory, 'compiled'),
      RINGCAST_SIP_LISTEN: `127.0.0.1:${firstSipPort + slot}`,
      RINGCAST_RING_TIMEOUT_SECONDS: '1',
      // What waited for a dead node is caught up with, and there is never so much that it takes long.
      RINGCAST_MAX_WAITING_CALLS: '2000',
      RINGCAST_CALLS_PER_SECOND: '100',
      RINGCAST_DESTINATION_SPACING_SECONDS: '0',
      ...(url === undefined ? {} : { RINGCAST_DATABASE_URL: url }),
    };
    return fleet.start({ ...order, dataDirectory, environment });
  };

  const account = await setUp(await start(0), carrier.port);
  await fleet.stop();
  const clients = createClients(fleet, account);
  const database = databaseUrl ? openPostgres(databaseUrl) : openSqliteFile(join(folderOf(0), 'ringcast.db'));
  let isClosed = false;
  const until = async (query: string, isThere: (count: number) => boolean): Promise<void> => {
    let before = Number.NaN;
    let changedAtMs = performance.now();
    for (let n = await count(database, query); !isThere(n); n = await count(database, query)) {
      if (n !== before) changedAtMs = performance.now();
      if (performance.now() - changedAtMs > STANDSTILL_MS) throw new Error(`standstill: ${query}: ${n}`);
      before = n;
      await delay(LOOK_MS);
    }
  };
  const allStand = (): Promise<void> =>
    until('select count(*) as n from nodes where taken_over_at is null', (n) => n === fleet.nodes().length);

  return {
    fleet,
    clients,
    random,
    start,
    allStand,
    takenOver: (nodeId) =>
      until(`select count(*) as n from nodes where id = '${nodeId}' and taken_over_at is null`, (n) => n === 0),
    async settle() {
      await allStand();
      await until("select count(*) as n from blasts where state = 'active'", (n) => n === 0);
      await until('select count(*) as n from attempts where ended_at is null or dialog is not null', (n) => n === 0);
      await fleet.stop();
      const record = await readRecord(database);
      return { posts: clients.posts, uploads: clients.uploads, carrier: readCarrierLog(carrierLog), record };
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      for (const node of fleet.nodes()) node.signal('SIGKILL');
      await Promise.all(fleet.nodes().map(({ gone }) => gone));
      await database.close();
      await carrier.close();
    },
  };
};

const count = async (database: Database, query: string): Promise<number> => {
  const [row] = (await database.rows(query)) as { n: number }[];
  return row?.n ?? 0;
};

const setUp = async (node: FleetNode | null, carrierPort: number): Promise<Account> => {
  if (!node) throw new Error('the first node was killed');
  const api = apiOf(node.endpoints);
  const destinationsOf = (network: number): string[] =>
    NUMBERS.map((user) => `sip:${user}-${network}@127.0.0.1:${carrierPort}`);
  const { appKey, applicationId, networkId } = await makeScenario(api, destinationsOf(0), { retry: RETRY });
  const networkIds = [networkId];
  while (networkIds.length < NETWORKS) {
    const network = { destinations: destinationsOf(networkIds.length), applicationIds: [applicationId] };
    networkIds.push(must(201, await api.operator('POST', '/networks', network)).id);
  }
  const mediaId = await uploadMedia(api, appKey, toneWav(440, 10));
  return { appKey, networkIds, mediaId, callsOfNetwork: NUMBERS.length };
};

const startCarrier = async (logPath: string): Promise<{ port: number; close(): Promise<void> }> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'carrier.ts'), logPath], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    port: Number(port),
    async close() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
};
