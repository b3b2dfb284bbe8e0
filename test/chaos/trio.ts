import { setTimeout as delay } from 'node:timers/promises';
import { type Line, openLine } from '../support/line.ts';
import type { FleetNode } from './fleet.ts';
import type { Note } from './kills.ts';
import type { Site } from './site.ts';

/** Three nodes on PostgreSQL, the third of them over a line that can be cut. */
export interface Trio {
  /** SIGKILL; another is started in its place. */
  kill(): Promise<void>;
  /** SIGSTOP for `forMs`, and until it was taken over. */
  pause(forMs: number): Promise<void>;
  /** SIGSTOP for less than the lease. */
  blink(): Promise<void>;
  /** No connection to the database until it was taken over. */
  cutOff(): Promise<void>;
  /** For the end, when no node is left. */
  close(): Promise<void>;
}

const BLINK_MS = 4000;

/** Each of its disasters resolves when it is over; they may come one by one or all at once. */
export const startTrio = async (site: Site, databaseUrl: string, note: Note): Promise<Trio> => {
  const line = await openLine(Number(new URL(databaseUrl).port));
  const [toKill, toPause, toCutOff] = await Promise.all([
    standing(site.start(0)),
    standing(site.start(1)),
    standing(site.start(2, {}, overLine(databaseUrl, line))),
  ]);
  const takenOver = async ({ endpoints }: FleetNode, which: string): Promise<void> => {
    await site.takenOver(endpoints.nodeId);
    note(`a node ${which} was taken over`);
  };
  return {
    async kill() {
      toKill.signal('SIGKILL');
      await toKill.gone;
      await Promise.all([site.start(0), takenOver(toKill, 'killed')]);
    },
    async pause(forMs) {
      toPause.signal('SIGSTOP');
      await Promise.all([takenOver(toPause, 'stopped'), delay(forMs)]);
      toPause.signal('SIGCONT');
    },
    async blink() {
      toPause.signal('SIGSTOP');
      await delay(BLINK_MS);
      toPause.signal('SIGCONT');
    },
    async cutOff() {
      line.cut();
      await takenOver(toCutOff, 'cut off from the database');
      line.mend();
    },
    close: () => line.close(),
  };
};

const standing = async (started: Promise<FleetNode | null>): Promise<FleetNode> => {
  const node = await started;
  if (!node) throw new Error('a node died at its start');
  return node;
};

const overLine = (databaseUrl: string, line: Line): string => {
  const url = new URL(databaseUrl);
  url.port = String(line.port);
  return url.href;
};
