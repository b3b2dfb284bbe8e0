/** A connection as its table sees it. */
export interface Numbered {
  readonly source: { readonly connection: number | null };
  close(): void;
}

/** Connections by number, the `limit` latest that carried a message; the one silent the longest makes room. */
export interface ConnectionTable<C extends Numbered> {
  add(connection: C): void;
  /** A message went over it. */
  touch(connection: C): void;
  remove(connection: C): void;
  find(number: number | null): C | undefined;
  all(): readonly C[];
}

export const createConnectionTable = <C extends Numbered>(limit: number): ConnectionTable<C> => {
  const connections = new Map<number | null, C>();
  const touch = (connection: C): void => {
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
