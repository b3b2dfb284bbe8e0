import { postgresFixtures } from './postgres-fixture.ts';
import { postgresOfThisRun } from './postgres-of-this-run.ts';
import { openSqliteFixture, type StoreFixture } from './store-fixture.ts';

export interface Dialect {
  readonly name: string;
  open(): Promise<StoreFixture>;
}

const server = await postgresOfThisRun();

/** Every database that the store runs on: the contract is the same on each. */
export const DIALECTS: readonly Dialect[] = [
  { name: 'SQLite', open: openSqliteFixture },
  ...(server === null ? [] : [{ name: 'PostgreSQL', open: postgresFixtures(server) }]),
];
