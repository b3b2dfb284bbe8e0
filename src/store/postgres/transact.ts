import { AppError } from '../../domain/app-error.ts';
import type { EndedCommit } from '../../domain/metrics.ts';
import type { Transaction, Views } from '../../domain/store-port.ts';
import type { Connection } from './connection.ts';
import { asAppError, isLostRace, isTurnedAway, unavailable } from './errors.ts';
import type { Lent, Pool } from './pool.ts';

/** Runs of one unit that lost races to others. */
const MAX_RUNS = 10;
/** A unit is given up this long after it came, unless the server answered it lately. */
export const DEADLINE_MS = 4500;
const LATELY_MS = 2000;
/** Units that wait for a connection; above it they are refused. */
const MAX_WAITING = 10_000;

/**
 * Runs a unit in a transaction of its own, again if it lost a race: a unit must bear to be run twice. Rejects with
 * `store_unavailable` within 5 s of the moment at which the server stopped answering. If that happens at the commit
 * itself, nobody knows whether it was made.
 */
export const transactOver =
  (pool: Pool, noteCommit: (commit: EndedCommit) => void) =>
  async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const startedAtMs = performance.now();
    for (let run = 1; ; run++) {
      try {
        return await borrow(pool, startedAtMs, (connection) => runUnit(connection, work, noteCommit));
      } catch (error) {
        const again = isLostRace(error) && run < MAX_RUNS && performance.now() - startedAtMs < DEADLINE_MS;
        if (!again) throw asAppError(error);
      }
    }
  };

/** Runs a view on one snapshot of the committed data. */
export const viewOver =
  (pool: Pool) =>
  async <T>(work: (views: Views) => Promise<T>): Promise<T> => {
    try {
      return await borrow(pool, performance.now(), (connection) => runView(connection, work));
    } catch (error) {
      throw asAppError(error);
    }
  };

const runUnit = async <T>(
  connection: Connection,
  work: (tx: Transaction) => Promise<T>,
  noteCommit: (commit: EndedCommit) => void,
): Promise<T> => {
  const begunAtMs = performance.now();
  connection.begin('begin');
  const value = await work(connection.transaction);
  let isCommitted = false;
  try {
    await connection.commit();
    isCommitted = true;
  } finally {
    noteCommit({ units: 1, durationMs: performance.now() - begunAtMs, isCommitted });
  }
  return value;
};

const runView = async <T>(connection: Connection, work: (views: Views) => Promise<T>): Promise<T> => {
  connection.begin('begin isolation level repeatable read read only');
  const value = await work(connection.views);
  await connection.commit();
  return value;
};

/** Lends a connection to `use`, rolls back what it leaves undone, and cuts the line when the server has stopped answering. */
const borrow = async <T>(pool: Pool, startedAtMs: number, use: (connection: Connection) => Promise<T>): Promise<T> => {
  if (pool.waiting() >= MAX_WAITING)
    throw new AppError('store_unavailable', 'The store has too much to do. Try again later.');
  const { connection, giveBack } = await lend(pool);
  const endWatch = watchOver(connection, startedAtMs);
  let isSound = true;
  try {
    return await use(connection);
  } catch (error) {
    isSound = !isTurnedAway(error) && (await undo(connection));
    throw isSound || error instanceof AppError ? error : unavailable(error);
  } finally {
    endWatch();
    giveBack(isSound);
  }
};

const lend = async (pool: Pool): Promise<Lent> => {
  try {
    return await pool.lend();
  } catch (error) {
    throw unavailable(error);
  }
};

/** False if the line is broken; the server then rolls back by itself. */
const undo = (connection: Connection): Promise<boolean> =>
  connection.rollback().then(
    () => true,
    () => false,
  );

const watchOver = (connection: Connection, startedAtMs: number): (() => void) => {
  const look = (): void => {
    const untilMs = Math.max(startedAtMs + DEADLINE_MS, connection.answeredAtMs() + LATELY_MS);
    const leftMs = untilMs - performance.now();
    if (leftMs > 0) timer = setTimeout(look, leftMs);
    else connection.cut();
  };
  let timer = setTimeout(look, startedAtMs + DEADLINE_MS - performance.now());
  return () => clearTimeout(timer);
};
