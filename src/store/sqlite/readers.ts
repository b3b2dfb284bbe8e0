import { AppError } from '../../domain/app-error.ts';
import type { Views } from '../../domain/store-port.ts';
import { type Connection, connect } from './connection.ts';
import { asAppError } from './errors.ts';

const MAX_READERS = 4;

interface Reader {
  readonly connection: Connection;
  readonly views: Views;
}

export interface Readers {
  /** Runs `work` on one snapshot of the committed data. */
  view<T>(work: (views: Views) => Promise<T>): Promise<T>;
  /** Refuses new views and resolves when the last one is done. */
  close(): Promise<void>;
}

/**
 * Up to four read-only connections, opened as they are needed: a view keeps one to itself, so that all it reads is of
 * one commit. Further views wait their turn.
 */
export const createReaders = (path: string, viewsOf: (connection: Connection) => Views): Readers => {
  const all: Reader[] = [];
  const idle: Reader[] = [];
  const waiting: ((reader: Reader) => void)[] = [];
  let closing = false;
  let onIdle = (): void => {};

  const open = (): Reader => {
    const connection = connect(path, { readOnly: true });
    const reader = { connection, views: viewsOf(connection) };
    all.push(reader);
    return reader;
  };
  const take = (): Reader | Promise<Reader> => {
    if (closing) throw new AppError('store_unavailable', 'The store is closing.');
    const reader = idle.pop();
    if (reader) return reader;
    return all.length < MAX_READERS ? open() : new Promise((resolve) => waiting.push(resolve));
  };
  const giveBack = (reader: Reader): void => {
    const next = waiting.shift();
    if (next) next(reader);
    else idle.push(reader);
    if (idle.length === all.length) onIdle();
  };

  return {
    async view(work) {
      const reader = await explained(async () => take());
      try {
        return await explained(() => readSnapshot(reader, work));
      } finally {
        giveBack(reader);
      }
    },
    async close() {
      closing = true;
      if (idle.length < all.length)
        await new Promise<void>((resolve) => {
          onIdle = resolve;
        });
      for (const { connection } of all) connection.raw.close();
    },
  };
};

const readSnapshot = async <T>({ connection, views }: Reader, work: (views: Views) => Promise<T>): Promise<T> => {
  connection.raw.exec('begin');
  try {
    return await work(views);
  } finally {
    if (connection.raw.isTransaction) connection.raw.exec('rollback');
  }
};

const explained = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw asAppError(error);
  }
};
