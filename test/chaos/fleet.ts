import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Endpoints, LOOPBACK } from '../support/ringcast.ts';

/** A node in a process of its own. */
export interface FleetNode {
  readonly endpoints: Endpoints & { readonly nodeId: string };
  readonly gone: Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
}

export interface NodeOrder {
  /** Where it keeps its secret, and its database unless another is named. */
  readonly dataDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly crashPoint?: string;
  /** SIGKILL so long after its process began. */
  readonly killAfterMs?: number;
}

export interface Fleet {
  /** Starts a node; null if it was killed before it was ready. Throws if it ended by itself. */
  start(order: NodeOrder): Promise<FleetNode | null>;
  /** One of the nodes that are there, at random; waits until there is one. */
  anyNode(): Promise<FleetNode>;
  nodes(): readonly FleetNode[];
  /** SIGTERM to all that are left. */
  stop(): Promise<void>;
}

const SCRIPT = join(import.meta.dirname, 'node.ts');

/** `random` gives numbers from 0 to 1. */
export const createFleet = (random: () => number): Fleet => {
  const nodes: FleetNode[] = [];
  let onNode = Promise.withResolvers<void>();

  const enter = (node: FleetNode): void => {
    nodes.push(node);
    onNode.resolve();
    void node.gone.then(() => {
      nodes.splice(nodes.indexOf(node), 1);
      if (nodes.length === 0) onNode = Promise.withResolvers();
    });
  };

  return {
    async start(order) {
      const child = spawnNode(order);
      const gone = once(child, 'exit');
      if (order.killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), order.killAfterMs);
      const endpoints = await readyLine(child);
      if (endpoints === null) {
        const [status] = await gone;
        if (status !== null) throw new Error(`a node ended at its start with ${status}: ${lastWords(order)}`);
        return null;
      }
      const node: FleetNode = { endpoints, gone, signal: (signal) => void child.kill(signal) };
      if (child.exitCode === null && child.signalCode === null) enter(node);
      return node;
    },
    async anyNode() {
      for (;;) {
        const node = nodes[Math.floor(random() * nodes.length)];
        if (node) return node;
        await onNode.promise;
      }
    },
    nodes: () => nodes,
    async stop() {
      await Promise.all(
        [...nodes].map((node) => {
          node.signal('SIGTERM');
          return node.gone;
        }),
      );
    },
  };
};

const logOf = ({ dataDirectory }: NodeOrder): string => join(dataDirectory, 'log');

const LAST_WORDS = 1000;
const lastWords = (order: NodeOrder): string => readFileSync(logOf(order), 'utf8').slice(-LAST_WORDS);

const spawnNode = (order: NodeOrder): ChildProcess => {
  const { dataDirectory, environment, crashPoint } = order;
  return spawn(process.execPath, [SCRIPT, ...(crashPoint === undefined ? [] : [crashPoint])], {
    env: { PATH: process.env.PATH, ...LOOPBACK, RINGCAST_DATA_DIR: dataDirectory, ...environment },
    stdio: ['pipe', 'pipe', openSync(logOf(order), 'a')],
  });
};

const readyLine = async (child: ChildProcess): Promise<FleetNode['endpoints'] | null> => {
  if (!child.stdout) return null;
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  return null;
};
