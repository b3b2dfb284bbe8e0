import { BEFORE_NODES, HEARTBEAT_MS, look, mayDial, NOTHING_SEEN, type NodeBeats, overdue } from '../domain/lease.ts';
import type { Metrics } from '../domain/metrics.ts';
import type { Log, RandomSource, WakeAfter } from '../domain/ports.ts';
import type { LeftDialog, Store } from '../domain/store-port.ts';
import type { SteadyClock } from './steady-clock.ts';

export interface NodeLeaseOptions {
  readonly store: Store;
  readonly random: Pick<RandomSource, 'hex'>;
  readonly wakeAfter: WakeAfter;
  readonly monotonicMs: () => number;
  readonly clock: SteadyClock;
  readonly metrics: Pick<Metrics, 'noteEndedUndialled'>;
  readonly log: Log;
  /** Hears of dialogs that a node which was taken over has left at peers. */
  readonly onTakenOver?: (dialogs: readonly LeftDialog[]) => void;
}

export interface NodeLease {
  /** To be asked right before each dial: the process may have been stopped at any moment before. */
  mayDial(): boolean;
  /** From the next beat on each tells the other nodes what this returns: see `DialerHandle.callsPerMinuteOverloaded`. */
  tellPace(callsPerMinuteOverloaded: () => number | null): void;
  /** Beats no more; nothing that this node claimed may be in progress. */
  stop(): void;
}

/** A beat that failed is tried again sooner than the next is due. */
const RETRY_MS = 1000;

/**
 * Enters this process as a node, beats for it and takes over nodes that fell silent. A node that was itself taken over
 * goes on under a new id. When this resolves the node stands, and on a database of one process all former ones are
 * taken over. Rejects if the store cannot be used.
 */
export const holdNodeLease = async (options: NodeLeaseOptions): Promise<NodeLease> => {
  const { store, wakeAfter, monotonicMs, clock, log } = options;
  let beatSentAtMs = monotonicMs();
  let nodeId = await join(options);
  let watch = NOTHING_SEEN;
  let paceNow = (): number | null => null;
  let stopped = false;
  let cancel = (): void => {};

  const turn = async (): Promise<void> => {
    const sentAtMs = monotonicMs();
    const { stands, others, nowMs } = await store.transact(async (tx) => {
      const nowMs = await tx.readClock();
      await tx.slewClock();
      const stands = await tx.beat(nodeId, paceNow());
      return { nowMs, stands, others: (await tx.listNodes()).filter((node) => node.nodeId !== nodeId) };
    });
    if (!clock.isSteady(nowMs)) await clock.repair();
    if (!stands) {
      log.warn({ nodeId }, 'this node was silent too long and was taken over: it goes on as another');
      nodeId = await join(options);
    }
    beatSentAtMs = sentAtMs;
    watch = look(watch, others, monotonicMs());
    for (const node of store.isShared ? overdue(watch) : others) await takeOver(options, node, nodeId);
  };
  const beat = async (): Promise<void> => {
    const delayMs = await turn().then(
      () => HEARTBEAT_MS,
      (error: unknown) => {
        log.warn({ err: error, nodeId }, 'heartbeat not taken');
        return RETRY_MS;
      },
    );
    if (!stopped) cancel = wakeAfter(delayMs, () => void beat());
  };

  await turn();
  cancel = wakeAfter(HEARTBEAT_MS, () => void beat());
  return {
    mayDial: () => mayDial(beatSentAtMs, monotonicMs()),
    tellPace(callsPerMinuteOverloaded) {
      paceNow = callsPerMinuteOverloaded;
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
};

const join = async ({ store, random, log }: NodeLeaseOptions): Promise<string> => {
  const nodeId = random.hex(8);
  await store.transact((tx) => tx.addNode(nodeId));
  store.actAs(nodeId);
  log.info({ nodeId }, 'node joined');
  return nodeId;
};

/** Its calls end `interrupted` and are never dialled again: any of them may have been answered. */
const takeOver = async (options: NodeLeaseOptions, node: NodeBeats, takerId: string): Promise<void> => {
  const { store, metrics, log } = options;
  const taken = await store.transact((tx) => tx.takeOverNode(node, takerId));
  if (!taken) return;
  const interrupted = taken.dialogs.length;
  options.onTakenOver?.([...taken.dialogs, ...taken.left]);
  metrics.noteEndedUndialled('interrupted', interrupted);
  const fields = { nodeId: node.nodeId, interrupted };
  if (interrupted > 0) log.warn(fields, 'calls of a node that is no more were interrupted');
  else if (node.nodeId !== BEFORE_NODES) log.info(fields, 'a node that is no more was taken over');
};
