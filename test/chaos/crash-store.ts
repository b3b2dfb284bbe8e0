import type { Store, Transaction } from '../../src/domain/store-port.ts';

/** Verbs that write and that a run of chaos comes to. */
const VERBS = [
  ...['addNode', 'beat', 'takeOverNode'],
  ...['insertBlast', 'rememberBlast', 'cancelBlast'],
  ...['claimCalls', 'recordRinging', 'recordAnswered', 'recordOutcome'],
  ...['issueGrant', 'claimGrant', 'releaseGrant', 'stageOriginal', 'insertClip', 'spendGrant'],
] as const satisfies readonly (keyof Transaction)[];

/**
 * Instants of the store at which a node can be made to die: `inside recordOutcome` when the verb has written and nothing
 * is committed, `committed recordOutcome` when it is durable and nobody has been told.
 */
export const CRASH_POINTS: readonly string[] = VERBS.flatMap((verb) => [`inside ${verb}`, `committed ${verb}`]);

/** A store that calls `die` when it comes to `point`. */
export const crashAt = (store: Store, point: string, die: () => void): Store => {
  const [when, verb = ''] = point.split(' ');
  return {
    ...store,
    async transact(work) {
      let reached = false;
      const onWritten = (): void => {
        reached = true;
        if (when === 'inside') die();
      };
      const value = await store.transact((tx) => work(watched(tx, verb, onWritten)));
      if (reached) die();
      return value;
    },
  };
};

/** A verb that answers so has written nothing. */
const isNothing = (value: unknown): boolean =>
  value === false || value === null || (Array.isArray(value) && value.length === 0);

const watched = (tx: Transaction, verb: string, onWritten: () => void): Transaction =>
  new Proxy(tx, {
    get(target, name: keyof Transaction) {
      const method: unknown = target[name];
      if (name !== verb || typeof method !== 'function') return method;
      return async (...args: unknown[]): Promise<unknown> => {
        const value: unknown = await method.apply(target, args);
        if (!isNothing(value)) onWritten();
        return value;
      };
    },
  });
