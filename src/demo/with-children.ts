import { Failure } from '../cli/failure.ts';
import type { Child } from './child.ts';

/** What work with child processes is given. */
export interface Nursery {
  /** Aborted by Ctrl-C and its like, and when the work is over: from then on no child may be started. */
  readonly signal: AbortSignal;
  /** To be told of each child as soon as it exists, so that none outlives the work. */
  readonly onChild: (child: Child) => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Does `work` and ends its children, whether it succeeds, fails, or a signal ends it. */
export const withChildren = async <T>(work: (nursery: Nursery) => Promise<T>): Promise<T> => {
  const controller = new AbortController();
  const abort = (name: NodeJS.Signals): void => controller.abort(new Failure(`ended by ${name}.`));
  const children: Child[] = [];
  for (const name of SIGNALS) process.on(name, abort);
  try {
    return await work({ signal: controller.signal, onChild: (child) => void children.push(child) });
  } finally {
    controller.abort(new Failure('the work is over.'));
    await Promise.all(children.map((child) => child.stop()));
    for (const name of SIGNALS) process.off(name, abort);
  }
};
