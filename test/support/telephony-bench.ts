import { expect } from 'vitest';
import type { AttemptResult, CallOrder } from '../../src/domain/call.ts';
import type { CallProgress, PlacedCall, RandomSource } from '../../src/domain/ports.ts';
import { NO_SILENCES } from '../../src/domain/silences.ts';
import { udpHop } from '../../src/sip/hop.ts';
import { parseMessage } from '../../src/sip/parse.ts';
import { type ResponseParts, respond } from '../../src/sip/response.ts';
import { serializeMessage } from '../../src/sip/serialize.ts';
import type { Dns } from '../../src/telephony/dns.ts';
import type { SipTransport } from '../../src/telephony/sip-transport.ts';
import { createUserAgent, type UserAgent } from '../../src/telephony/user-agent.ts';
import type { PeerScript } from './peer-script.ts';
import { QUIET_LOG } from './quiet-log.ts';
import { sharedRenditions } from './renditions.ts';
import { CALM, createSeededNetwork, type Misfortune, seededRandom } from './seeded-network.ts';
import { createSipPeer, type SipPeer, sdpOf } from './sip-peer.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
import { createVirtualMedia, type VirtualMedia } from './virtual-media.ts';
import { zoneOf } from './zone.ts';

export const OURS = udpHop({ address: '10.0.0.1', port: 5060 });
export const PEER = udpHop({ address: '10.0.0.2', port: 5070 });

/** A datagram that was sent, lost ones included. */
export interface Traffic {
  readonly atMs: number;
  readonly from: 'ua' | 'peer';
  readonly text: string;
}

export interface Placed {
  readonly call: PlacedCall;
  readonly progress: CallProgress[];
  /** Virtual time of the result. */
  endedAtMs(): number | null;
}

export type OrderChange = Partial<Omit<CallOrder, 'clips'>> & { readonly frames?: readonly number[] };

/** One user agent and one called party, in virtual time. */
export interface TelephonyBench {
  readonly clock: VirtualClock;
  readonly agent: UserAgent;
  readonly peer: SipPeer;
  readonly media: VirtualMedia;
  readonly traffic: readonly Traffic[];
  /** What trunks said to our user name and password, as `trunk verdict`. */
  readonly logins: readonly string[];
  /** What calls showed of their trunks, as `trunk kind`. */
  readonly signs: readonly string[];
  /** The further called party at an address. */
  other(address: string): SipPeer;
  place(change?: OrderChange): Placed;
  /** Lets all time pass that there is, and gives the result. */
  finish(placed: Placed): Promise<AttemptResult>;
  /** Loses the next `count` datagrams that begin with `start`. */
  dropFirst(start: string, count: number): void;
  /** Lets the next datagram that begins with `start` take so much longer. */
  delayFirst(start: string, delayMs: number): void;
  /** Changes what the peer sends, as proxies on the way do. */
  rewrite(change: (text: string) => string): void;
  /** Sends a 200 of another branch of the first INVITE. */
  sendFork(toTag: string): void;
  /** Sends octets of the peer's. */
  sayRaw(text: string): void;
  /** Answers the first INVITE as another branch of it. */
  sayAs(toTag: string, status: number, parts?: ResponseParts): void;
  /** Nothing is left: no timer, no table entry, no open RTP port. */
  expectRest(): void;
}

const randomOf = (seed: number): RandomSource => {
  const random = seededRandom(seed);
  const pick = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
  return { digits: (length) => pick('0123456789', length), hex: (bytes) => pick('0123456789abcdef', 2 * bytes) };
};

const clipOf = (frameCount: number, i: number): CallOrder['clips'][number] => {
  const silence = new SharedArrayBuffer(0);
  return { key: `clip-${i}`, mediaId: `${i}`, frameCount, renditions: sharedRenditions(() => silence) };
};

export const createTelephonyBench = (options: {
  readonly script: PeerScript;
  readonly misfortune?: Misfortune;
  /** Every datagram of ours is refused with this sentence. */
  readonly sendProblem?: string;
  /** Addresses by name, all other names being unknown. */
  readonly zone?: Readonly<Record<string, readonly string[]>>;
  /** What is known of services; nothing if left out. */
  readonly srv?: Dns['srv'];
  /** Further called parties by address, on the peer's port. */
  readonly others?: Readonly<Record<string, PeerScript>>;
}): TelephonyBench => {
  const clock = createVirtualClock();
  const network = createSeededNetwork(clock, options.misfortune ?? CALM);
  const media = createVirtualMedia(clock);
  const ours = network.attach(OURS);
  const theirs = network.attach(PEER);
  let change = (text: string): string => text;
  const throughProxies: SipTransport = {
    ...theirs,
    send: (octets, to, onError) =>
      theirs.send(new TextEncoder().encode(change(new TextDecoder().decode(octets))), to, onError),
  };
  const peer = createSipPeer({ transport: throughProxies, clock, script: options.script });
  const others = new Map(
    Object.entries(options.others ?? {}).map(([address, script]) => {
      const transport = network.attach({ ...PEER, address });
      return [address, createSipPeer({ transport, clock, script })];
    }),
  );
  const traffic: Traffic[] = [];
  const signs: string[] = [];
  const logins: string[] = [];
  const fates = new Map<string, { left: number; readonly verdict: 'drop' | number }>();
  let lastCall = 0;

  const { sendProblem } = options;
  const transport =
    sendProblem === undefined
      ? ours
      : {
          ...ours,
          send: (_octets: Uint8Array, _to: object, onError?: (error: Error) => void): void => {
            clock.wakeAfter(0, () => onError?.(new Error(sendProblem)));
          },
        };
  const agent = createUserAgent({
    transport,
    media,
    externalAddress: null,
    wakeAfter: clock.wakeAfter,
    random: randomOf(options.misfortune?.seed ?? 1),
    log: QUIET_LOG,
    onLogin: (trunkId, verdict) => logins.push(`${trunkId} ${verdict}`),
    onCallSign: (trunkId, sign) => signs.push(`${trunkId} ${sign.kind}`),
    dns: zoneOf(options.zone ?? {}, options.srv),
    monotonicMs: () => clock.nowMs,
  });

  network.intercept((octets, from) => {
    const text = new TextDecoder().decode(octets);
    traffic.push({ atMs: clock.nowMs, from: from.address === OURS.address ? 'ua' : 'peer', text });
    for (const [start, fate] of fates) {
      if (fate.left === 0 || !text.startsWith(start)) continue;
      fate.left -= 1;
      return fate.verdict;
    }
    return 'pass';
  });

  const orderOf = ({ frames = [50], ...change }: OrderChange): CallOrder => {
    lastCall += 1;
    return {
      attemptId: `attempt-${lastCall}`,
      sipCallId: `call-${lastCall}`,
      fromTag: `from-${lastCall}`,
      branch: `z9hG4bK-invite-${lastCall}`,
      destination: `sip:bob@${PEER.address}:${PEER.port}`,
      trunk: null,
      callerId: '+15550001111',
      ringTimeoutMs: 45_000,
      codecs: ['PCMU', 'PCMA'],
      srtp: 'off',
      comedia: false,
      silences: NO_SILENCES,
      clips: frames.map(clipOf),
      ...change,
    };
  };

  const sayAs = (toTag: string, status: number, parts: ResponseParts = {}): void => {
    const invite = peer.received.find((request) => request.method === 'INVITE');
    if (!invite) throw new Error('No INVITE has come.');
    theirs.send(serializeMessage(respond(invite, status, { toTag, contact: invite.to, ...parts })), OURS);
  };

  return {
    clock,
    agent,
    peer,
    media,
    traffic,
    logins,
    signs,
    other: (address) => {
      const other = others.get(address);
      if (!other) throw new Error(`Nobody is at ${address}.`);
      return other;
    },
    place: (change = {}) => {
      const progress: CallProgress[] = [];
      let endedAtMs: number | null = null;
      const call = agent.placeCall(orderOf(change), (step) => progress.push(step));
      void call.result.then(() => {
        endedAtMs = clock.nowMs;
      });
      return { call, progress, endedAtMs: () => endedAtMs };
    },
    sayRaw: (text) => theirs.send(new TextEncoder().encode(text), OURS),
    finish: async (placed) => {
      await clock.runOut();
      if (placed.endedAtMs() === null) throw new Error('The call is stuck: no timer waits, and it has no result.');
      return placed.call.result;
    },
    dropFirst: (start, count) => fates.set(start, { left: count, verdict: 'drop' }),
    rewrite: (next) => {
      change = next;
    },
    delayFirst: (start, delayMs) => fates.set(start, { left: 1, verdict: delayMs }),
    sayAs,
    sendFork: (toTag) => {
      const body = new TextEncoder().encode(sdpOf(PEER.address));
      sayAs(toTag, 200, { contentType: 'application/sdp', body });
    },
    expectRest: () => {
      expect(agent.counts()).toEqual({ calls: 0, dialogs: 0, transactions: 0 });
      expect(clock.waiting).toBe(0);
      expect(media.open).toBe(0);
      for (const { text } of traffic) expect(parseMessage(new TextEncoder().encode(text)).ok).toBe(true);
    },
  };
};
