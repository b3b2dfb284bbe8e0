import type { FastifyInstance } from 'fastify';
import type { EventFeed } from './app/publish-events.ts';
import { judgeHead } from './audio/judge-head.ts';
import type { Calling } from './calling.ts';
import { random, wakeAfter } from './clock.ts';
import type { Closers } from './closers.ts';
import type { Config } from './config.ts';
import type { ListenAddress } from './config-values.ts';
import { StartError } from './data-directory.ts';
import type { BuiltInGreeting, Ingest, Log } from './domain/ports.ts';
import type { Store } from './domain/store-port.ts';
import { buildOperatorServer } from './http/operator-server.ts';
import { buildPublicServer } from './http/public-server.ts';
import type { PrometheusMetrics } from './metrics/prometheus.ts';
import { waveformOfUlaw } from './rtp/peaks.ts';
import { ulawToWav } from './rtp/ulaw-wav.ts';
import { toPcap } from './trace/pcap.ts';

export interface Servers {
  readonly publicUrl: string;
  readonly operatorUrl: string;
}

interface ServerParts {
  readonly store: Store;
  readonly ingest: Ingest;
  readonly greeting: BuiltInGreeting;
  readonly calling: Calling;
  readonly events: EventFeed;
  readonly operatorToken: string;
  readonly scratchDirectory: string;
  readonly prometheus: PrometheusMetrics;
  readonly log: Log;
  readonly closers: Closers;
}

/** Both HTTP listeners, listening. Throws StartError if an address cannot be had. */
export const openServers = async (config: Config, parts: ServerParts): Promise<Servers> => {
  const { store, ingest, greeting, calling, scratchDirectory, prometheus, log } = parts;
  const { dialer, routeHealth } = calling;
  const { metrics } = prometheus;
  const shared = {
    store,
    ingest,
    judgeHead,
    routeHealth,
    dialer,
    random,
    metrics,
    log,
    scratchDirectory,
    toWaveform: waveformOfUlaw,
    limits: config,
    wakeAfter,
    events: parts.events,
  };
  const exposition = prometheus.expose({ store, routeHealth, voice: calling.voice, log, serverLimits: config });
  const operator = buildOperatorServer({ ...shared, exposition, toPcap, operatorToken: parts.operatorToken });
  const operatorUrl = await listen(operator, config.operatorListen, 'RINGCAST_OPERATOR_LISTEN', parts.closers);
  const open = buildPublicServer({
    ...shared,
    builtInGreeting: greeting,
    toWav: ulawToWav,
    publicUrl: config.publicUrl,
    isReady: () => !dialer.isDraining(),
  });
  const publicUrl = await listen(open, config.publicListen, 'RINGCAST_PUBLIC_LISTEN', parts.closers);
  return { publicUrl, operatorUrl };
};

const listen = async (
  server: FastifyInstance,
  { address, port }: ListenAddress,
  variable: string,
  closers: Closers,
): Promise<string> => {
  closers.add(`listener of ${variable}`, () => server.close());
  try {
    return await server.listen({ host: address, port });
  } catch (error) {
    throw new StartError(
      `Ringcast cannot listen on ${address}:${port} (${(error as NodeJS.ErrnoException).code ?? String(error)}): end the program that holds it, or choose another address with ${variable}.`,
      { cause: error },
    );
  }
};
