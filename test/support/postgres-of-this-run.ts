import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** URL of the PostgreSQL server that all tests of a run share, started by the first who asks; null where there is none. */
export const postgresOfThisRun = async (): Promise<string | null> => {
  const response = await fetch(inject('postgresStarter'));
  return response.ok ? response.text() : null;
};

/** A new database on the server at `serverUrl`. */
export const createDatabase = async (serverUrl: string): Promise<{ url: string; drop(): Promise<void> }> => {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(serverUrl, `drop database ${name} with (force)`) };
};

const administer = async (serverUrl: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
};
