import { createClipCache } from './app/clip-cache.ts';
import { createDialer, type Dialer } from './app/dialer.ts';
import { listAll } from './app/list-all.ts';
import type { NodeLease } from './app/node-lease.ts';
import { createNoteTrunkState } from './app/note-trunk-state.ts';
import { type SettleBlasts, startSettlingBlasts } from './app/settle-blasts.ts';
import type { SteadyClock } from './app/steady-clock.ts';
import { monotonicMs, random, wakeAfter, wallMs } from './clock.ts';
import type { Closers } from './closers.ts';
import type { Config } from './config.ts';
import { StartError } from './data-directory.ts';
import type { CallTrunk } from './domain/call.ts';
import type { Metrics, VoiceFigures } from './domain/metrics.ts';
import type { BuiltInGreeting, EndDialog, Log, RouteHealth } from './domain/ports.ts';
import type { Store, Views } from './domain/store-port.ts';
import type { Trunk } from './domain/trunk.ts';
import { startMediaThread } from './media/link.ts';
import { openSipRecording } from './sip-recording.ts';
import { readSipTls } from './sip-tls.ts';
import { createDns } from './telephony/dns.ts';
import { createLoginRefusals, type LoginRefusals } from './telephony/login-refusals.ts';
import { openSipTransport } from './telephony/open-sip-transport.ts';
import { createRegistrations } from './telephony/registrations.ts';
import type { SipTransport } from './telephony/sip-transport.ts';
import { createTrunkEvidence } from './telephony/trunk-evidence.ts';
import { createTrunkMonitor } from './telephony/trunk-monitor.ts';
import { createUserAgent } from './telephony/user-agent.ts';

/** Everything that places calls, wired. */
export interface Calling {
  readonly dialer: Dialer;
  readonly routeHealth: RouteHealth;
  readonly transport: SipTransport;
  readonly voice: VoiceFigures;
  readonly endDialog: EndDialog;
}

/** Memory for clips ready to be sent; about nine hours of G.711 in both laws. */
const CLIP_CACHE_BYTES = 512 * 1024 * 1024;
/** How many destinations dialled without a trunk are probed. */
const MAX_DIRECT_PROBES = 100;

export const openCalling = async (
  config: Config,
  options: {
    store: Store;
    lease: NodeLease;
    clock: SteadyClock;
    greeting: BuiltInGreeting;
    metrics: Metrics;
    log: Log;
    closers: Closers;
  },
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
  const recording = openSipRecording(config.sipTrace, transport, options);
  const agent = createUserAgent({
    transport: recording.transport,
    media,
    externalAddress: config.externalAddress,
    onCallSign: (trunkId, sign) => monitor.noteCall(trunkId, sign),
    dns: createDns({ monotonicMs, wakeAfter }),
    monotonicMs,
    onLogin: (trunkId, verdict) => {
      if (verdict === 'accepted') refusals.accepted(trunkId);
      else noteRefusal(refusals, trunkId, log);
    },
    wakeAfter,
    log,
    random,
  });
  closers.add('user agent', () => agent.close());
  const registrations = createRegistrations({ register: (trunk) => agent.register(trunk, wallMs), wakeAfter });
  const monitor = createTrunkMonitor({
    probe: agent.probe,
    listTargets: async () => {
      const { registered, ...targets } = await listTargets(store);
      registrations.follow(registered);
      return targets;
    },
    refusals,
    evidence: createTrunkEvidence(monotonicMs),
    registration: registrations.of,
    wakeAfter,
    log,
    onChange: createNoteTrunkState(store, log),
  });
  closers.add('registrations', () => registrations.close());
  closers.add('trunk monitor', () => monitor.close());
  await monitor.start();
  const dialer = createDialer({
    store,
    mayDial: lease.mayDial,
    placeCall: recording.recorded(agent.placeCall),
    routeHealth: monitor,
    isOverloaded: media.isOverloaded,
    capacity: media.capacity,
    clips: createClipCache({ store, greeting, maxBytes: CLIP_CACHE_BYTES }),
    random,
    wakeAfter,
    monotonicMs,
    clock: options.clock,
    metrics,
    log,
    maxConcurrentCalls: config.maxConcurrentCalls,
    callsPerSecond: config.callsPerSecond,
    destinationSpacingMs: config.destinationSpacingSeconds * 1000,
    ringTimeoutMs: config.ringTimeoutSeconds * 1000,
  });
  lease.tellPace(dialer.callsPerMinuteOverloaded);
  const settling = startSettlingBlasts({ store, dialer, wakeAfter, metrics, log });
  closers.add('settling of blasts', () => settling.stop());
  return {
    dialer: withSettling(dialer, settling),
    routeHealth: monitor,
    transport,
    voice: media,
    endDialog: agent.endDialog,
  };
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
  store.view(async (views) => {
    const trunks = await listAll((page) => views.listTrunks(page));
    const registering = trunks.filter(({ register }) => register);
    return {
      trunks,
      directUris: await views.listDirectUris(MAX_DIRECT_PROBES),
      registered: await Promise.all(registering.map((trunk) => withCredentials(views, trunk))),
    };
  });

const withCredentials = async (views: Views, { id, host, port, transport }: Trunk): Promise<CallTrunk> => ({
  id,
  host,
  port,
  transport,
  credentials: await views.findTrunkCredentials(id),
});

const noteRefusal = (refusals: LoginRefusals, trunkId: string, log: Log): void => {
  refusals.refused(trunkId);
  log.warn({ trunkId, heldForMs: refusals.heldForMs(trunkId) }, 'the trunk refused the user name or password');
};
