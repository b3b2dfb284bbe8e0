import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { ThreadOrder } from './messages.ts';
import type { Voices } from './voices.ts';

/** What a loop turns: the calls, the clock, and where it tells that it is alive. */
export interface LoopParts {
  readonly voices: Voices;
  readonly orders: MessagePort;
  readonly nowMs: () => number;
  readonly onTurn: (nowMs: number) => void;
}

/** The longest that a thread with nothing to do sleeps, so that it is seen to be alive. */
const IDLE_MS = 500;
/** Orders taken in one turn: binding the ports of a call takes some ten microseconds, and voice comes first. */
const ORDERS_PER_TURN = 16;

/** Takes some orders; false if there was none left. */
const takeOrders = ({ orders, voices }: LoopParts): boolean => {
  for (let taken = 0; taken < ORDERS_PER_TURN; taken += 1) {
    const received: { message: ThreadOrder } | undefined = receiveMessageOnPort(orders);
    if (received === undefined) return false;
    voices.take(received.message);
  }
  return true;
};

/**
 * Never returns: sleeps until the next deadline or until `wake`, whose one number the main thread changes and notifies
 * after each order. No event loop turns meanwhile, so nothing else may be waited for on this thread.
 */
export const blockingLoop = (parts: LoopParts, wake: SharedArrayBuffer): never => {
  const { voices, nowMs, onTurn } = parts;
  const orderCount = new Int32Array(wake);
  for (;;) {
    const seen = Atomics.load(orderCount, 0);
    onTurn(nowMs());
    voices.run(nowMs());
    if (takeOrders(parts)) continue;
    const restMs = Math.min(IDLE_MS, voices.nextDueMs() - nowMs());
    if (restMs > 0) Atomics.wait(orderCount, 0, seen, restMs);
  }
};

/** The same with timers, for sockets that need the event loop. */
export const timerLoop = (parts: LoopParts): void => {
  const { voices, orders, nowMs, onTurn } = parts;
  let timer: NodeJS.Timeout | undefined;
  const turn = (): void => {
    clearTimeout(timer);
    onTurn(nowMs());
    voices.run(nowMs());
    const restMs = Math.min(IDLE_MS, voices.nextDueMs() - nowMs());
    // Rounded up: a timer that fires early would only be set a second time.
    timer = setTimeout(turn, Math.max(0, Math.ceil(restMs)));
  };
  orders.on('message', (order: ThreadOrder) => {
    voices.take(order);
    turn();
  });
  turn();
};
