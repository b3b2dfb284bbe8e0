import { startCompletingClips } from './app/complete-clips.ts';
import { createDialogEnder } from './app/end-dialogs.ts';
import { holdNodeLease } from './app/node-lease.ts';
import { createSteadyClock } from './app/steady-clock.ts';
import { startSweep } from './app/sweep.ts';
import { startSipTraceSweep } from './app/sweep-sip-traces.ts';
import { startUploadSweep } from './app/sweep-uploads.ts';
import { loadBuiltInGreeting } from './audio/built-in-greeting.ts';
import { createIngest } from './audio/ingest.ts';
import { openCalling } from './calling.ts';
import { monotonicMs, random, uptimeMs, wakeAfter } from './clock.ts';
import { type Closers, createClosers } from './closers.ts';
import { type Config, readConfig } from './config.ts';
import { SETTINGS } from './config-settings.ts';
import { ConfigError } from './config-values.ts';
import { emptyScratch, openDataDirectory, operatorTokenOf } from './data-directory.ts';
import type { Metrics } from './domain/metrics.ts';
import type { Log } from './domain/ports.ts';
import type { Store, Transaction } from './domain/store-port.ts';
import { scratchFilesIn } from './http/scratch-directory.ts';
import { openServers } from './http-servers.ts';
import { createLog } from './log.ts';
import { createPrometheusMetrics } from './metrics/prometheus.ts';
import { bracketHost } from './sip/uri.ts';
import { openPostgresStore } from './store/open-postgres-store.ts';
import { openSqliteStore } from './store/open-store.ts';
import { openVault } from './store/vault.ts';
import { openTelling } from './telling.ts';

/** A server that answers. */
export interface Running {
  /** The listening address, as `http://ADDRESS:PORT`. */
  readonly publicUrl: string;
  readonly operatorUrl: string;
  /** Where SIP is spoken, as `sip:ADDRESS:PORT`. */
  readonly sip: string;
  readonly operatorToken: string;
  /** Takes nothing new, lets calls end for at most `withinMs`, then closes everything. */
  stop(withinMs: number): Promise<void>;
}

/** How long calls in progress may go on after SIGTERM. */
const DRAIN_MS = 30_000;

/** Builds and starts a server. Throws StartError, with everything closed again. `around` lets a test stand before the store. */
export const start = async (
  config: Config,
  log: Log,
  around: (store: Store) => Store = (store) => store,
): Promise<Running> => {
  const closers = createClosers();
  const close = () => closers.closeAll((name, error) => log.error({ err: error }, `${name} did not close`));
  try {
    return await open({ config, log, closers, close, around });
  } catch (error) {
    await close();
    throw error;
  }
};

interface Opening {
  readonly config: Config;
  readonly log: Log;
  readonly closers: Closers;
  readonly close: () => Promise<void>;
  readonly around: (store: Store) => Store;
}

const open = async ({ config, log, closers, close, around }: Opening): Promise<Running> => {
  const { scratchDirectory } = await openDataDirectory(config.dataDirectory);
  const prometheus = createPrometheusMetrics();
  const { metrics } = prometheus;
  const opened = around(await openStore(config, metrics, log));
  closers.add('store', () => opened.close());
  const telling = openTelling(config, { store: opened, metrics, log, closers });
  const { store, events } = telling;
  await emptyScratch(scratchDirectory);
  const dialogEnder = createDialogEnder({ store, wakeAfter, log });
  const onTakenOver = dialogEnder.add;
  const clock = createSteadyClock({ store, uptimeMs, log });
  const lease = await holdNodeLease({ store, random, wakeAfter, monotonicMs, clock, metrics, log, onTakenOver });
  closers.add('lease', () => lease.stop());
  await store.transact((tx) => tx.sweep());
  const operatorToken = await operatorTokenOf(config.dataDirectory, config.operatorToken);
  const greeting = await loadBuiltInGreeting();
  const ingest = await createIngest({ scratchDirectory, log });
  closers.add('decoder', () => ingest.close());
  const calling = await openCalling(config, { store, lease, clock, greeting, metrics, log, closers });
  const servers = await openServers(config, {
    store,
    ingest,
    greeting,
    calling,
    events,
    operatorToken,
    scratchDirectory,
    prometheus,
    log,
    closers,
  });
  telling.start();
  calling.dialer.start();
  dialogEnder.start(calling.endDialog);
  closers.add('ending of dialogs', () => dialogEnder.stop());
  closers.add('sweep of uploads', startUploadSweep({ store, wakeAfter, log }));
  closers.add('sweep of records', startRecordSweep(config, { store, log }));
  const openScratchFile = scratchFilesIn(scratchDirectory);
  closers.add('completing of clips', startCompletingClips({ store, ingest, openScratchFile, log }));
  const { hours, maxBytes } = config.sipTrace;
  const keepForMs = hours * 3_600_000;
  closers.add('sweep of SIP messages', startSipTraceSweep({ store, wakeAfter, log, keepForMs, maxBytes }));
  return {
    ...servers,
    sip: `sip:${bracketHost(calling.transport.address)}:${calling.transport.port}`,
    operatorToken,
    async stop(withinMs) {
      await calling.dialer.drain(withinMs);
      await close();
    },
  };
};

const startRecordSweep = ({ recordDays }: Config, { store, log }: { store: Store; log: Log }): (() => void) => {
  const drop = (tx: Transaction): Promise<number> => tx.dropOldRecords(recordDays * 24 * 3_600_000);
  return startSweep({ store, wakeAfter, log, what: 'records', drop });
};

const openStore = async ({ dataDirectory, database }: Config, metrics: Metrics, log: Log): Promise<Store> => {
  const isSqlite = database.kind === 'sqlite';
  const vault = await openVault(dataDirectory, { databasePath: isSqlite ? database.path : null, log });
  return isSqlite
    ? openSqliteStore({ path: database.path, vault, log, metrics })
    : openPostgresStore({ url: database.url, vault, log, metrics });
};

/**
 * `ringcast serve`: runs until SIGTERM or SIGINT. Exit status 2 for a wrong configuration, 1 for anything else that
 * stops the start; either way one sentence.
 */
export const serve = async (flags: Readonly<Record<string, string>>): Promise<void> => {
  try {
    const config = readConfig({ ...process.env, ...flagVariables(flags) });
    const log = createLog(config.logLevel);
    const running = await start(config, log);
    stopOnSignal(running, log);
    announce(running);
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  }
};

/** Flags by their names (`--data-dir`), as the variables they stand for. */
const flagVariables = (flags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    SETTINGS.flatMap(({ variable, flag }) => (flags[flag] === undefined ? [] : [[variable, flags[flag]]])),
  );

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const announce = ({ publicUrl, operatorUrl, sip }: Running): void => {
  const line = process.stdout.isTTY
    ? `Ringcast is ready: ${publicUrl} (public), ${operatorUrl} (operator), ${sip}`
    : JSON.stringify({ ready: true, public: publicUrl, operator: operatorUrl, sip });
  process.stdout.write(`${line}\n`);
};

const stopOnSignal = (running: Running, log: Log): void => {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping: calls in progress may end, a second signal ends them');
    running.stop(DRAIN_MS).then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};
