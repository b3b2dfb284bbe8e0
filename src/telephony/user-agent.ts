import type { CallTrunk } from '../domain/call.ts';
import type { EndDialog, Log, PlaceCall, RandomSource, WakeAfter } from '../domain/ports.ts';
import type { MediaThread } from '../media/link.ts';
import { createClientTransactions } from '../sip/client-transactions.ts';
import type { LocateTarget } from '../sip/server-location.ts';
import { createServerTransactions } from '../sip/server-transactions.ts';
import type { Dns } from './dns.ts';
import { createHopMemory } from './hop-memory.ts';
import { familyOf } from './ip-address.ts';
import { type KeptRegistration, keepRegistered } from './keep-registered.ts';
import { createKnownChallenges } from './known-challenges.ts';
import { createKnownPeers } from './known-peers.ts';
import { createFindLocalAddress } from './local-address.ts';
import { createLocate } from './locate.ts';
import { createOrphans } from './orphans.ts';
import { type OutboundCall, placeOutboundCall } from './outbound-call.ts';
import { type ProbeResult, probePeer } from './probe.ts';
import { createReceiver } from './receiver.ts';
import type { DialogUser, Signalling } from './signalling.ts';
import type { SipTransport } from './sip-transport.ts';
import type { CallSign } from './trunk-evidence.ts';

/** Rings phones, and asks peers whether they are there. */
export interface UserAgent {
  readonly placeCall: PlaceCall;
  readonly endDialog: EndDialog;
  /** OPTIONS to every address of a peer; down if no answer came in 4 s, or 503. Never rejects. */
  probe(target: LocateTarget): Promise<ProbeResult>;
  /** Registers with a trunk and keeps it so; `wallMs` is the wall clock. */
  register(trunk: CallTrunk, wallMs: () => number): KeptRegistration;
  /** What it holds at present: bounded, and empty again once everything has run its course. */
  counts(): { readonly calls: number; readonly dialogs: number; readonly transactions: number };
  /** Ends every call at once, as `interrupted`, and closes the transport. */
  close(): Promise<void>;
}

export interface UserAgentOptions {
  readonly transport: SipTransport;
  readonly media: MediaThread;
  /** What peers are told in place of the local address, for hosts behind a NAT with fixed mappings. */
  readonly externalAddress: string | null;
  readonly wakeAfter: WakeAfter;
  readonly random: RandomSource;
  readonly log: Log;
  /** Hears whether a trunk takes our user name and password. */
  readonly onLogin?: (trunkId: string, verdict: 'accepted' | 'refused') => void;
  /** Hears what each call shows of its trunk. */
  readonly onCallSign?: (trunkId: string, sign: CallSign) => void;
  readonly dns: Dns;
  readonly monotonicMs: () => number;
}

/** Calls end by the dialer's limits long before these; full tables refuse new calls and drop new requests. */
const MAX_CLIENT_TRANSACTIONS = 131_072;
const MAX_SERVER_TRANSACTIONS = 16_384;
const MAX_KNOWN_PEERS = 1_024;
const MAX_KNOWN_CHALLENGES = 1_024;
const MAX_FAILED_HOPS = 1_024;

const familiesOf = (boundAddress: string): readonly (4 | 6)[] => {
  const family = familyOf(boundAddress);
  return family === 'any' ? [4, 6] : [family];
};

/** Starts a user agent on an open transport. */
export const createUserAgent = (options: UserAgentOptions): UserAgent => {
  const { transport, media, wakeAfter, random, log } = options;
  const peers = createKnownPeers(MAX_KNOWN_PEERS);
  const dialogs = new Map<string, DialogUser>();
  const hops = createHopMemory(options.monotonicMs, MAX_FAILED_HOPS);
  const clients = createClientTransactions({
    send: transport.send,
    portOf: transport.portOf,
    wakeAfter,
    limit: MAX_CLIENT_TRANSACTIONS,
    failedHops: hops,
  });
  const servers = createServerTransactions({ send: transport.send, wakeAfter, limit: MAX_SERVER_TRANSACTIONS });
  const calls = new Set<OutboundCall>();
  const signalling: Signalling = {
    clients,
    dialogs,
    send: transport.send,
    locate: createLocate({
      dns: options.dns,
      reach: { transports: ['udp', 'tcp', 'tls'], families: familiesOf(transport.address) },
      random: () => Number.parseInt(random.hex(4), 16) / 2 ** 32,
    }),
    hops,
    findLocalAddress: createFindLocalAddress(options.externalAddress, transport.address),
    portOf: transport.portOf,
    meet: (peer) => peers.add(peer.address),
    challenges: createKnownChallenges(MAX_KNOWN_CHALLENGES),
    onLogin: options.onLogin ?? (() => undefined),
    onCallSign: options.onCallSign ?? (() => undefined),
    wakeAfter,
    random,
    log,
  };
  const orphans = createOrphans(signalling);
  transport.onMessage(
    createReceiver({
      clients,
      servers,
      dialogs,
      send: transport.send,
      isKnown: (from) => peers.has(from.address),
      onStray: orphans.onAnswer,
      random,
      log,
    }),
  );

  transport.onLost(clients.lose);

  const placeCall: PlaceCall = (order, onProgress) => {
    const call = placeOutboundCall({ signalling, media, order, onProgress });
    calls.add(call);
    void call.result.then(() => calls.delete(call));
    return call;
  };

  return {
    placeCall,
    endDialog: orphans.end,
    probe: (target) => probePeer(signalling, target),
    register: (trunk, wallMs) => keepRegistered({ signalling, trunk, wallMs }),
    counts: () => ({ calls: calls.size, dialogs: dialogs.size, transactions: clients.size + servers.size }),
    close: async () => {
      const open = [...calls];
      for (const call of open) call.interrupt();
      await Promise.all(open.map((call) => call.result));
      clients.close();
      servers.close();
      dialogs.clear();
      await transport.close();
    },
  };
};
