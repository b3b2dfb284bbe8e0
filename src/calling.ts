import { createClipCache } from './app/clip-cache.ts';
import { createDialer, type Dialer } from './app/dialer.ts';
import { listAll } from './app/list-all.ts';
import type { NodeLease } from './app/node-lease.ts';
import { type SettleBlasts, startSettlingBlasts } from './app/settle-blasts.ts';
import { monotonicMs, random, wakeAfter } from './clock.ts';
import type { Closers } from './closers.ts';
import type { Config } from './config.ts';
import { StartError } from './data-directory.ts';
import type { Metrics, VoiceFigures } from './domain/metrics.ts';
import type { BuiltInGreeting, Log, RouteHealth } from './domain/ports.ts';
import type { Store } from './domain/store-port.ts';
import { startMediaThread } from './media/link.ts';
import { readSipTls } from './sip-tls.ts';
import { createLoginRefusals, type LoginRefusals } from './telephony/login-refusals.ts';
import { openSipTransport } from './telephony/open-sip-transport.ts';
import type { SipTransport } from './telephony/sip-transport.ts';
import { createTrunkMonitor } from './telephony/trunk-monitor.ts';
import { createUserAgent } from './telephony/user-agent.ts';

/** Everything that places calls, wired. */
export interface Calling {
  readonly dialer: Dialer;
  readonly routeHealth: RouteHealth;
  readonly transport: SipTransport;
  readonly voice: VoiceFigures;
}

/** Memory for clips ready to be sent; about nine hours of G.711 in both laws. */
const CLIP_CACHE_BYTES = 512 * 1024 * 1024;
/** How many destinations dialled without a trunk are probed. */
const MAX_DIRECT_PROBES = 100;

export const openCalling = async (
  config: Config,
  options: { store: Store; lease: NodeLease; greeting: BuiltInGreeting; metrics: Metrics; log: Log; closers: Closers },
): Promise<Calling> => {
  const { store, lease, greeting, metrics, log, closers } = options;
  const transport = await openTransport(config, log);
  closers.add('sip transport', () => transport.close());
  const media = await startMediaThread({
    bindAddress: config.sipListen.address,
    ports: config.rtpPorts,
    threads: config.mediaThreads,
    sockets: config.mediaSockets,
    log,
    nowMs: monotonicMs,
    wakeAfter,
  });
  closers.add('media thread', () => media.close());
  const refusals = createLoginRefusals(monotonicMs);
  const agent = createUserAgent({
    transport,
    media,
    externalAddress: config.externalAddress,
    onLogin: (trunkId, verdict) => {
      if (verdict === 'accepted') refusals.accepted(trunkId);
      else noteRefusal(refusals, trunkId, log);
    },
    wakeAfter,
    log,
    random,
  });
  closers.add('user agent', () => agent.close());
  const monitor = createTrunkMonitor({
    probe: agent.probe,
    listTargets: () => listTargets(store),
    refusals,
    wakeAfter,
    log,
  });
  closers.add('trunk monitor', () => monitor.close());
  await monitor.start();
  const dialer = createDialer({
    store,
    mayDial: lease.mayDial,
    placeCall: agent.placeCall,
    routeHealth: monitor,
    isOverloaded: media.isOverloaded,
    clips: createClipCache({ store, greeting, maxBytes: CLIP_CACHE_BYTES }),
    random,
    wakeAfter,
    monotonicMs,
    metrics,
    log,
    maxConcurrentCalls: config.maxConcurrentCalls,
    callsPerSecond: config.callsPerSecond,
    destinationSpacingMs: config.destinationSpacingSeconds * 1000,
    ringTimeoutMs: config.ringTimeoutSeconds * 1000,
  });
  const settling = startSettlingBlasts({ store, dialer, wakeAfter, metrics, log });
  closers.add('settling of blasts', () => settling.stop());
  return { dialer: withSettling(dialer, settling), routeHealth: monitor, transport, voice: media };
};

/** What wakes the dialer, or cancels, may leave something to settle. */
const withSettling = (dialer: Dialer, settling: SettleBlasts): Dialer => ({
  ...dialer,
  wake() {
    dialer.wake();
    settling.wake();
  },
  cancel(attemptIds) {
    dialer.cancel(attemptIds);
    settling.wake();
  },
});

const openTransport = async ({ sipListen, sipTls }: Config, log: Log): Promise<SipTransport> => {
  const tls = await readSipTls(sipTls);
  return openSipTransport({ listen: sipListen, tls, wakeAfter, log }).catch((error: Error) => {
    throw new StartError(`RINGCAST_SIP_LISTEN: ${error.message}`, { cause: error });
  });
};

const listTargets = (store: Store) =>
  store.view(async (views) => ({
    trunks: await listAll((page) => views.listTrunks(page)),
    directUris: await views.listDirectUris(MAX_DIRECT_PROBES),
  }));

const noteRefusal = (refusals: LoginRefusals, trunkId: string, log: Log): void => {
  refusals.refused(trunkId);
  log.warn({ trunkId, heldForMs: refusals.heldForMs(trunkId) }, 'the trunk refused the user name or password');
};
