import type { CallTrunk } from '../domain/call.ts';
import type { EndDialog, Log, WakeAfter } from '../domain/ports.ts';
import type { LeftDialog, Store } from '../domain/store-port.ts';
import { callTrunkOf } from './call-trunk.ts';

/** Ends the dialogs of nodes that were taken over, in the background. */
export interface DialogEnder {
  /** Also before there is anybody who could end them: they wait. */
  add(dialogs: readonly LeftDialog[]): void;
  start(endDialog: EndDialog): void;
  stop(): void;
}

/** Beyond this many the peers' own timers have to end them. */
const MAX_WAITING = 20_000;
/** A hundred a second: the calls that are dialled meanwhile matter more. */
const BETWEEN_MS = 10;

export interface DialogEnderOptions {
  readonly store: Pick<Store, 'transact' | 'view'>;
  readonly wakeAfter: WakeAfter;
  readonly log: Log;
}

export const createDialogEnder = ({ store, wakeAfter, log }: DialogEnderOptions): DialogEnder => {
  const waiting: LeftDialog[] = [];
  let endDialog: EndDialog | null = null;
  let cancel: (() => void) | null = null;

  const end = async (use: EndDialog, dialog: LeftDialog): Promise<void> => {
    try {
      await use({ ...dialog, trunk: await trunkOf(store, dialog) });
      if (dialog.dialog !== null) await store.transact((tx) => tx.forgetDialog(dialog.attemptId));
    } catch (error) {
      log.warn({ err: error, attemptId: dialog.attemptId }, 'the dialog of an interrupted call could not be ended');
    }
  };
  const next = (): void => {
    cancel = null;
    const dialog = endDialog && waiting.shift();
    if (!endDialog || !dialog) return;
    void end(endDialog, dialog);
    cancel = wakeAfter(BETWEEN_MS, next);
  };
  return {
    add(dialogs) {
      const room = MAX_WAITING - waiting.length;
      waiting.push(...dialogs.slice(0, room));
      if (dialogs.length > room) log.warn({ dropped: dialogs.length - room }, 'too many dialogs to end');
      if (!cancel) next();
    },
    start(use) {
      endDialog = use;
      next();
    },
    stop() {
      endDialog = null;
      cancel?.();
    },
  };
};

/** Null also for a trunk that is gone: its dialogs are ended without a password. */
const trunkOf = async (store: Pick<Store, 'view'>, { trunkId }: LeftDialog): Promise<CallTrunk | null> => {
  const trunk = trunkId === null ? null : await store.view((views) => views.findTrunk(trunkId));
  return trunk && callTrunkOf(store, trunk);
};
