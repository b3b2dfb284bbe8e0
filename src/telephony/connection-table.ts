import type { StreamConnection } from './stream-connection.ts';

/** Connections by number, the `limit` latest that carried a message; the one silent the longest makes room. */
export interface ConnectionTable {
  add(connection: StreamConnection): void;
  /** A message went over it. */
  touch(connection: StreamConnection): void;
  remove(connection: StreamConnection): void;
  find(number: number | null): StreamConnection | undefined;
  all(): readonly StreamConnection[];
}

export const createConnectionTable = (limit: number): ConnectionTable => {
  const connections = new Map<number | null, StreamConnection>();
  const touch = (connection: StreamConnection): void => {
    connections.delete(connection.source.connection);
    connections.set(connection.source.connection, connection);
  };
  return {
    add: (connection) => {
      touch(connection);
      const [oldest] = connections.values();
      if (connections.size > limit) oldest?.close();
    },
    touch: (connection) => {
      if (connections.has(connection.source.connection)) touch(connection);
    },
    remove: (connection) => void connections.delete(connection.source.connection),
    find: (number) => connections.get(number),
    all: () => [...connections.values()],
  };
};
