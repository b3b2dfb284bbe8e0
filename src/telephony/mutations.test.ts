import { expect, test } from 'vitest';
import { sharedRenditions } from '../../test/support/renditions.ts';
import { createSeededNetwork, seededRandom } from '../../test/support/seeded-network.ts';
import { requestOf } from '../../test/support/sip-messages.ts';
import { mutated } from '../../test/support/sip-mutations.ts';
import { createSipPeer } from '../../test/support/sip-peer.ts';
import { tortureNames, tortureOctets } from '../../test/support/torture.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { createVirtualMedia } from '../../test/support/virtual-media.ts';
import { zoneOf } from '../../test/support/zone.ts';
import type { CallOrder } from '../domain/call.ts';
import { NO_SILENCES } from '../domain/silences.ts';
import { udpHop } from '../sip/hop.ts';
import { parseMessage } from '../sip/parse.ts';
import { serializeMessage } from '../sip/serialize.ts';
import type { SipTransport } from './sip-transport.ts';
import { createUserAgent } from './user-agent.ts';

const MESSAGES = 20_000;
const PER_TURN = 100;
const CALLS = 10;
const FRAMES = 3_000;
const SILENCE = new SharedArrayBuffer(0);
const OURS = { address: '10.0.0.1', port: 5060 };
const PEER = { address: '10.0.0.2', port: 5070 };

/** Answers to broken requests repeat what is broken in them: this peer passes over those that it cannot read. */
const forgiving = (transport: SipTransport): SipTransport => ({
  ...transport,
  onMessage: (handler) =>
    transport.onMessage((octets, from) => {
      if (parseMessage(octets).ok) handler(octets, from);
    }),
});

const orderOf = (i: number): CallOrder => ({
  attemptId: `attempt-${i}`,
  sipCallId: `call-${i}`,
  fromTag: `from-${i}`,
  branch: `z9hG4bK-invite-${i}`,
  destination: `sip:bob@${PEER.address}:${PEER.port}`,
  trunk: null,
  callerId: null,
  ringTimeoutMs: 45_000,
  codecs: ['PCMU'],
  srtp: 'off',
  comedia: false,
  silences: NO_SILENCES,
  clips: [{ key: 'clip', mediaId: '1', frameCount: FRAMES, renditions: sharedRenditions(() => SILENCE) }],
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Notes each text of a log line that has a control character in it. */
const watchfulLog = () => {
  const soiled: string[] = [];
  const textsOf = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return [value];
    if (value instanceof Error) return [value.message];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
  };
  let lines = 0;
  const note = (...parts: readonly unknown[]): void => {
    lines += 1;
    soiled.push(...parts.flatMap(textsOf).filter((text) => CONTROL.test(text)));
  };
  return { soiled, count: () => lines, log: { debug: note, info: note, warn: note, error: note } };
};

const setUp = () => {
  const random = seededRandom(20_000);
  const watch = watchfulLog();
  const clock = createVirtualClock();
  const network = createSeededNetwork(clock);
  const media = createVirtualMedia(clock);
  const theirs = network.attach(PEER);
  const script = { tryingAfterMs: 0, ringAfterMs: 0, answerAfterMs: 500 };
  const peer = createSipPeer({ transport: forgiving(theirs), clock, script });
  const hex = (bytes: number): string =>
    Array.from({ length: 2 * bytes }, () => Math.floor(random() * 16).toString(16)).join('');
  const agent = createUserAgent({
    transport: network.attach(OURS),
    media,
    externalAddress: null,
    wakeAfter: clock.wakeAfter,
    random: { digits: (length) => '1'.repeat(length), hex },
    log: watch.log,
    dns: zoneOf({}),
    monotonicMs: () => clock.nowMs,
  });
  return { random, clock, network, media, theirs, peer, agent, watch };
};

/** A BYE that names its dialog rightly ends a call rightly. */
const isTrueBye = (octets: Uint8Array): boolean => {
  const result = parseMessage(octets);
  return result.ok && result.message.kind === 'request' && result.message.method === 'BYE';
};

test(`${MESSAGES} mutated messages during ${CALLS} calls: no exception, no leak, no call harmed`, async () => {
  const { random, clock, network, media, theirs, peer, agent, watch } = setUp();
  const heard: Uint8Array[] = [];
  network.intercept((octets, from) => {
    if (from.address === PEER.address) heard.push(octets);
    return 'pass';
  });
  const calls = Array.from({ length: CALLS }, (_, i) => agent.placeCall(orderOf(i), () => undefined));
  await clock.advance(2_000);
  const inDialog = peer.calls.flatMap((call) => [
    call.request('INFO'),
    call.request('OPTIONS'),
    call.request('INVITE'),
  ]);
  await clock.advance(2_000);
  expect(await Promise.all(inDialog)).toEqual(peer.calls.flatMap(() => [200, 200, 200]));

  const strays = ['INVITE', 'OPTIONS', 'CANCEL', 'MESSAGE', 'ACK'].map((method) => serializeMessage(requestOf(method)));
  const torture = tortureNames('rfc4475').map((name) => tortureOctets('rfc4475', name));
  const bases = [...heard, ...strays, ...torture];
  network.intercept(() => 'pass');
  for (let i = 0; i < MESSAGES; i++) {
    const octets = mutated(bases[i % bases.length] as Uint8Array, bases, random);
    if (!isTrueBye(octets)) theirs.send(octets, udpHop(OURS));
    if (i % PER_TURN === 0) await clock.advance(100);
  }
  expect(agent.counts().calls).toBe(CALLS);

  await clock.runOut();
  const results = await Promise.all(calls.map((call) => call.result));
  expect(results.map(({ outcome, framesSent }) => [outcome, ...framesSent])).toEqual(
    calls.map(() => ['completed', FRAMES]),
  );
  expect(peer.calls.slice(0, CALLS).map(({ state }) => state)).toEqual(calls.map(() => 'ended'));
  expect([agent.counts(), clock.waiting, media.open]).toEqual([{ calls: 0, dialogs: 0, transactions: 0 }, 0, 0]);
  expect(watch.soiled).toEqual([]);
  expect(watch.count()).toBeGreaterThan(MESSAGES / 10);
});
