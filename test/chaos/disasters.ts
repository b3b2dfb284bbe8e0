import { setTimeout as delay } from 'node:timers/promises';
import { type Line, openLine } from '../support/line.ts';
import type { Clients } from './clients.ts';
import { CRASH_POINTS } from './crash-store.ts';
import type { Site } from './site.ts';

/** Told of what happens, for people. */
export type Note = (line: string) => void;

/** Blasts and uploads that have not been answered yet; at the bound the clients wait. */
const MAX_UNANSWERED = 20;

const UPLOADS_AT_ONCE = 3;

/** Blasts at a steady rate, and one upload after another of each of three uploaders, until `stop`, which resolves when all are answered. */
export const startLoad = (clients: Clients, blastsPerSecond: number): { stop(): Promise<void> } => {
  let stopped = false;
  const unanswered = new Set<Promise<void>>();
  const post = (): void => {
    const posted = clients.blast().finally(() => unanswered.delete(posted));
    unanswered.add(posted);
  };
  const blasts = async (): Promise<void> => {
    while (!stopped) {
      if (unanswered.size < MAX_UNANSWERED) post();
      await delay(1000 / blastsPerSecond);
    }
    await Promise.all(unanswered);
  };
  const uploads = async (): Promise<void> => {
    while (!stopped) await clients.upload();
  };
  const all = Promise.all([blasts(), ...Array.from({ length: UPLOADS_AT_ONCE }, uploads)]);
  return {
    async stop() {
      stopped = true;
      await all;
    },
  };
};

/** How long a node lives at most before it is killed, its start included. */
const LONGEST_LIFE_MS = 2500;

/** Kills nodes at random instants, `times` in all, in each of `slots` one after another. */
export const killAtRandom = async (site: Site, slots: readonly number[], times: number, note: Note): Promise<void> => {
  let left = times;
  const worker = async (slot: number): Promise<void> => {
    while (left-- > 0) {
      note(`kill -9 at random, ${left} to go`);
      await (await site.start(slot, { killAfterMs: site.random() * LONGEST_LIFE_MS }))?.gone;
    }
  };
  await Promise.all(slots.map(worker));
};

const POINT_WITHIN_MS = 60_000;

/** Lets a node die at each of the crash points, in each of `slots` one after another. */
export const dieAtEachPoint = async (site: Site, slots: readonly number[], note: Note): Promise<void> => {
  // Those of a take-over need 15 s of silence: they are begun first.
  const points = CRASH_POINTS.toSorted(
    (a, b) => Number(b.endsWith('takeOverNode')) - Number(a.endsWith('takeOverNode')),
  );
  const worker = async (slot: number): Promise<void> => {
    for (let point = points.shift(); point; point = points.shift()) {
      await dieAt(site, slot, point);
      note(`died ${point}`);
    }
  };
  await Promise.all(slots.map(worker));
};

const dieAt = async (site: Site, slot: number, crashPoint: string): Promise<void> => {
  const node = await site.start(slot, { crashPoint });
  const timeLimit = AbortSignal.timeout(POINT_WITHIN_MS);
  const tooLate = new Promise((_, reject) =>
    timeLimit.addEventListener('abort', () => reject(new Error(`no node came to "${crashPoint}"`))),
  );
  await Promise.race([node?.gone, tooLate]);
};

/** Of three nodes on PostgreSQL one is killed, one stopped, one cut off from the database, until others took them over. */
export const inTurn = async (site: Site, databaseUrl: string, note: Note): Promise<void> => {
  const line = await openLine(Number(new URL(databaseUrl).port));
  try {
    const cutOff = await site.start(2, {}, overLine(databaseUrl, line));
    const [killed, stopped] = [await site.start(0), await site.start(1)];
    if (!killed || !stopped || !cutOff) throw new Error('a node died at its start');
    killed.signal('SIGKILL');
    await site.takenOver(killed.endpoints.nodeId);
    note('a killed node was taken over');
    await site.start(0);
    stopped.signal('SIGSTOP');
    await site.takenOver(stopped.endpoints.nodeId);
    note('a stopped node was taken over');
    stopped.signal('SIGCONT');
    line.cut();
    await site.takenOver(cutOff.endpoints.nodeId);
    note('a node cut off from the database was taken over');
    line.mend();
    cutOff.signal('SIGTERM');
    await cutOff.gone;
  } finally {
    await line.close();
  }
};

const overLine = (databaseUrl: string, line: Line): string => {
  const url = new URL(databaseUrl);
  url.port = String(line.port);
  return url.href;
};
