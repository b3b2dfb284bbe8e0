import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { AttemptResult, CallOrder } from '../../src/domain/call.ts';
import { NO_SILENCES } from '../../src/domain/silences.ts';
import { serializeMessage } from '../../src/sip/serialize.ts';
import type { SipTransport } from '../../src/telephony/sip-transport.ts';
import { openUdpTransport } from '../../src/telephony/udp-transport.ts';
import { createUserAgent } from '../../src/telephony/user-agent.ts';
import { QUIET_LOG } from './quiet-log.ts';
import { sharedRenditions } from './renditions.ts';
import { seededRandom } from './seeded-network.ts';
import { requestOf, responseOf } from './sip-messages.ts';
import { mutated } from './sip-mutations.ts';
import { createSipPeer, type SipPeer } from './sip-peer.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
import { createVirtualMedia } from './virtual-media.ts';
import { zoneOf } from './zone.ts';

const PEER = '127.0.0.1';
/** Another address of this machine: Linux has the whole of 127/8. */
const STRANGER = '127.0.0.2';
const FRAMES = 3_000;
const SILENCE = new SharedArrayBuffer(0);

/** Calls over real UDP in virtual time, which stands still while strangers send what they like. */
export interface StrangerStorm {
  /** Messages that the user agent has received from strangers. */
  received(): number;
  /** Messages that it has sent to strangers. */
  answered(): number;
  /** Sends so many, a batch a turn: as fast as the socket takes them, or `perSecond`. */
  blow(messages: number, perSecond: number | null): Promise<void>;
  counts(): { readonly calls: number; readonly dialogs: number; readonly transactions: number };
  /** Lets the calls run to their end. */
  finish(): Promise<{ readonly results: readonly AttemptResult[]; readonly ended: number }>;
}

const randomOf = (random: () => number) => {
  const hex = (bytes: number): string =>
    Array.from({ length: 2 * bytes }, () => Math.floor(random() * 16).toString(16)).join('');
  return { hex, digits: (length: number) => '1'.repeat(length) };
};

const orderOf = (i: number, port: number): CallOrder => ({
  attemptId: `attempt-${i}`,
  sipCallId: `call-${i}`,
  fromTag: `from-${i}`,
  branch: `z9hG4bK-invite-${i}`,
  destination: `sip:bob@${PEER}:${port}`,
  trunk: null,
  callerId: null,
  ringTimeoutMs: 45_000,
  codecs: ['PCMU'],
  srtp: 'off',
  comedia: false,
  silences: NO_SILENCES,
  clips: [{ key: 'clip', mediaId: '1', frameCount: FRAMES, renditions: sharedRenditions(() => SILENCE) }],
});

/** What strangers send: every kind of request, answers to calls of ours that they guessed, and nonsense. */
const messagesOf = (random: () => number): readonly Uint8Array[] => {
  const requests = ['INVITE', 'OPTIONS', 'REGISTER', 'BYE', 'CANCEL', 'ACK', 'MESSAGE'].map((method) =>
    requestOf(method),
  );
  const answers = [180, 200, 401, 486, 503].map((status) => ({ ...responseOf(status), callId: 'call-1' }));
  const whole = [...requests, ...answers].map(serializeMessage);
  return [
    ...whole,
    ...Array.from({ length: 200 }, (_, i) => mutated(whole[i % whole.length] as Uint8Array, whole, random)),
  ];
};

/** One millisecond a turn of the event loop: datagrams on loopback are far quicker than any timer. */
const passUntil = async (clock: VirtualClock, isDone: () => boolean): Promise<void> => {
  while (!isDone()) {
    await clock.advance(1);
    await setImmediate();
  }
};

const counting = (transport: SipTransport) => {
  const counts = { received: 0, answered: 0 };
  const counted: SipTransport = {
    ...transport,
    send: (octets, to, onError) => {
      if (to.address === STRANGER) counts.answered += 1;
      transport.send(octets, to, onError);
    },
    onMessage: (handler) =>
      transport.onMessage((octets, from) => {
        if (from.address === STRANGER) counts.received += 1;
        handler(octets, from);
      }),
  };
  return { counts, counted };
};

const BATCH = 50;

const openStranger = async (port: number, random: () => number) => {
  const socket = createSocket('udp4').bind(0, STRANGER);
  await once(socket, 'listening');
  const messages = messagesOf(random);
  const blow = async (total: number, perSecond: number | null): Promise<void> => {
    const startedMs = performance.now();
    for (let sent = 0; sent < total; ) {
      for (let left = BATCH; left > 0; left--)
        socket.send(messages[sent++ % messages.length] as Uint8Array, port, PEER);
      const dueMs = perSecond === null ? 0 : startedMs + (1_000 * sent) / perSecond;
      if (dueMs > performance.now()) await setTimeout(dueMs - performance.now());
      else await setImmediate();
    }
  };
  return { blow, close: () => socket.close() };
};

const callsThatTalk = async (clock: VirtualClock, peer: SipPeer, count: number): Promise<void> =>
  passUntil(clock, () => peer.calls.filter(({ state }) => state === 'talking').length === count);

/** Starts `callCount` calls and waits until all are talking. */
export const startStorm = async (callCount: number): Promise<StrangerStorm> => {
  const random = seededRandom(callCount);
  const clock = createVirtualClock();
  const media = createVirtualMedia(clock);
  const { counts, counted } = counting(await openUdpTransport({ address: PEER, port: 0 }));
  const theirs = await openUdpTransport({ address: PEER, port: 0 });
  const peer = createSipPeer({ transport: theirs, clock, script: { ringAfterMs: 0, answerAfterMs: 0 } });
  const agent = createUserAgent({
    transport: counted,
    media,
    externalAddress: null,
    wakeAfter: clock.wakeAfter,
    random: randomOf(random),
    log: QUIET_LOG,
    dns: zoneOf({}),
    monotonicMs: () => clock.nowMs,
  });
  const calls = Array.from({ length: callCount }, (_, i) => agent.placeCall(orderOf(i, theirs.port), () => undefined));
  await callsThatTalk(clock, peer, callCount);
  const stranger = await openStranger(counted.port, random);

  return {
    received: () => counts.received,
    answered: () => counts.answered,
    blow: stranger.blow,
    counts: () => agent.counts(),
    finish: async () => {
      let results: readonly AttemptResult[] | null = null;
      void Promise.all(calls.map((call) => call.result)).then((all) => {
        results = all;
      });
      await passUntil(clock, () => results !== null && agent.counts().transactions === 0);
      await agent.close();
      await theirs.close();
      stranger.close();
      return { results: results ?? [], ended: peer.calls.filter(({ state }) => state === 'ended').length };
    },
  };
};
