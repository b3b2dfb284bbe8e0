import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface PostgresServer {
  /** Of the database `postgres`, with the password. */
  readonly url: string;
  /** Of the postmaster. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL server of our own; it ends with this process at the latest. Throws where there are no binaries. */
export const startPostgres = async (
  settings: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> => {
  const script = join(import.meta.dirname, 'postgres-process.ts');
  const child = spawn(process.execPath, [script, ...settings], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  const [first] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  if (typeof first !== 'string') throw new Error(complaint);
  const { url, pid } = JSON.parse(first) as { url: string; pid: number };
  return {
    url,
    pid,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
};
