import { Failure } from '../cli/failure.ts';

/** Ctrl-C and its like, as an abort signal, so that children are ended in order before this process ends. */
export interface Interrupt {
  readonly signal: AbortSignal;
  dispose(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const listenForInterrupt = (): Interrupt => {
  const controller = new AbortController();
  const abort = (name: NodeJS.Signals): void => controller.abort(new Failure(`ended by ${name}.`));
  for (const name of SIGNALS) process.on(name, abort);
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of SIGNALS) process.off(name, abort);
    },
  };
};
