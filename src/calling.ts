import { isIPv6 } from 'node:net';
import { createClipCache } from './app/clip-cache.ts';
import { createDialer, type Dialer } from './app/dialer.ts';
import { listAll } from './app/list-all.ts';
import { monotonicMs, random, wakeAfter } from './clock.ts';
import type { Closers } from './closers.ts';
import type { Config } from './config.ts';
import { StartError } from './data-directory.ts';
import type { Metrics } from './domain/metrics.ts';
import type { BuiltInGreeting, Log, PlaceCall, RouteHealth } from './domain/ports.ts';
import type { Store } from './domain/store-port.ts';
import { startMediaThread } from './media/link.ts';
import { readSipTls } from './sip-tls.ts';
import { createFindLocalAddress } from './telephony/local-address.ts';
import { createLoginRefusals, type LoginRefusals } from './telephony/login-refusals.ts';
import { openSipTransport } from './telephony/open-sip-transport.ts';
import type { SipTransport } from './telephony/sip-transport.ts';
import { tracedTransport } from './telephony/traced-transport.ts';
import { createTrunkMonitor } from './telephony/trunk-monitor.ts';
import { createUserAgent } from './telephony/user-agent.ts';
import { createSipRecorder, type SipRecorder } from './trace/recorder.ts';

/** Everything that places calls, wired. */
export interface Calling {
  readonly dialer: Dialer;
  readonly routeHealth: RouteHealth;
  readonly transport: SipTransport;
}

/** Memory for clips ready to be sent; about nine hours of G.711 in both laws. */
const CLIP_CACHE_BYTES = 512 * 1024 * 1024;
/** How many destinations dialled without a trunk are probed. */
const MAX_DIRECT_PROBES = 100;

export const openCalling = async (
  config: Config,
  options: { store: Store; greeting: BuiltInGreeting; metrics: Metrics; log: Log; closers: Closers },
): Promise<Calling> => {
  const { store, greeting, metrics, log, closers } = options;
  const transport = await openTransport(config, log);
  closers.add('sip transport', () => transport.close());
  const media = await startMediaThread({ bindAddress: config.sipListen.address, ports: config.rtpPorts, log });
  closers.add('media thread', () => media.close());
  const refusals = createLoginRefusals(monotonicMs);
  const recorder = config.sipTrace.hours > 0 ? openRecorder(transport, options) : null;
  const agent = createUserAgent({
    transport: recorder ? tracedTransport(transport, recorder.note) : transport,
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
    placeCall: recorder ? tracedCalls(agent.placeCall, recorder) : agent.placeCall,
    routeHealth: monitor,
    clips: createClipCache({ store, greeting, maxBytes: CLIP_CACHE_BYTES }),
    random,
    wakeAfter,
    monotonicMs,
    metrics,
    log,
    maxConcurrentCalls: config.maxConcurrentCalls,
    callsPerSecond: config.callsPerSecond,
    ringTimeoutMs: config.ringTimeoutSeconds * 1000,
  });
  return { dialer, routeHealth: monitor, transport };
};

const openTransport = async ({ sipListen, sipTls }: Config, log: Log): Promise<SipTransport> => {
  const tls = await readSipTls(sipTls);
  return openSipTransport({ listen: sipListen, tls, wakeAfter, log }).catch((error: Error) => {
    throw new StartError(`RINGCAST_SIP_LISTEN: ${error.message}`, { cause: error });
  });
};

/** Writes what was seen of calls, and stops only after the user agent. */
const openRecorder = (
  transport: SipTransport,
  { store, metrics, log, closers }: { store: Store; metrics: Metrics; log: Log; closers: Closers },
): SipRecorder => {
  const findLocalAddress = createFindLocalAddress(null, transport.address);
  const recorder = createSipRecorder({
    store,
    // A peer that there is no way to any more: what was said counts, not from where.
    localEndOf: async (name, peer) => ({
      address: await findLocalAddress(peer).catch(() => (isIPv6(peer.address) ? '::' : '0.0.0.0')),
      port: transport.portOf(name),
    }),
    nowMs: Date.now,
    wakeAfter,
    metrics,
    log,
  });
  closers.add('recorder of SIP messages', () => recorder.close());
  return recorder;
};

const tracedCalls =
  (placeCall: PlaceCall, recorder: SipRecorder): PlaceCall =>
  (order, onProgress) => {
    recorder.begin(order.sipCallId, order.attemptId);
    const call = placeCall(order, onProgress);
    void call.result.then(() => recorder.end(order.sipCallId));
    return call;
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
