import type { CompiledQuery, QueryResult } from 'kysely';
import type { Db } from './schema.ts';

/** Stands in a query for a value that is only known when it runs. */
class StandIn {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A query built and compiled once and run many times, for the paths that every accepted request and every call take:
 * building a query costs more than running it. `build` gets a stand-in for each value of `V`, to be used as a value
 * and in no other way; which values there are shows at the first run.
 */
export const prepared = <V extends object, R>(
  db: Db,
  build: (values: V) => CompiledQuery<R>,
): ((values: V) => Promise<QueryResult<R>>) => {
  let query: CompiledQuery<R> | null = null;
  return (values) => {
    query ??= build(standInsFor(values));
    return db.executeQuery<R>({
      ...query,
      parameters: query.parameters.map((parameter) =>
        parameter instanceof StandIn ? values[parameter.name as keyof V] : parameter,
      ),
    });
  };
};

const standInsFor = <V extends object>(values: V): V =>
  Object.fromEntries(Object.keys(values).map((name) => [name, new StandIn(name)])) as V;
