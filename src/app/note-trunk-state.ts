import type { Log } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import type { TrunkState } from '../domain/trunk.ts';

/** Notes that a trunk went up or down, for those who may call over it. Never throws. */
export const createNoteTrunkState =
  (store: Store, log: Log) =>
  (trunkId: string, state: TrunkState): void => {
    if (state === 'unknown') return;
    store
      .transact((tx) => tx.noteTrunkState(trunkId, state))
      .catch((error: unknown) => log.warn({ err: error, trunkId }, 'state of a trunk not recorded'));
  };
