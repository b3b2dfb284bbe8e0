import { setTimeout as delay } from 'node:timers/promises';
import type { Site } from './site.ts';

/** Told of what happens, for people. */
export type Note = (line: string) => void;

/** How long a node lives at most once it is ready, before it is killed. */
const LONGEST_LIFE_MS = 1600;
/** One in four is killed earlier, at most so long after its process began. */
const LONGEST_START_MS = 1000;

/** Kills nodes at random instants, `times` in all, in each of `slots` one after another. */
export const killAtRandom = async (site: Site, slots: readonly number[], times: number, note: Note): Promise<void> => {
  let left = times;
  const worker = async (slot: number): Promise<void> => {
    while (left-- > 0) {
      note(`kill -9 at random, ${left} to go`);
      await liveAndDie(site, slot);
    }
  };
  await Promise.all(slots.map(worker));
};

const liveAndDie = async ({ random, start }: Site, slot: number): Promise<void> => {
  const isEarly = random() < 0.25;
  const node = await start(slot, isEarly ? { killAfterMs: random() * LONGEST_START_MS } : {});
  if (!isEarly) {
    await delay(random() * LONGEST_LIFE_MS);
    node?.signal('SIGKILL');
  }
  await node?.gone;
};

const POINT_WITHIN_MS = 300_000;

/** Lets a node die at each of `crashPoints`, in each of `slots` one after another. */
export const dieAtEachPoint = async (
  site: Site,
  slots: readonly number[],
  crashPoints: readonly string[],
  note: Note,
): Promise<void> => {
  // Those of a take-over need 15 s of silence: they are begun first.
  const points = crashPoints.toSorted(
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
