import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createSeededNetwork } from '../../test/support/seeded-network.ts';
import { requestOf, responseOf } from '../../test/support/sip-messages.ts';
import { OURS, PEER } from '../../test/support/telephony-bench.ts';
import { createVirtualClock, type VirtualClock } from '../../test/support/virtual-clock.ts';
import { createVirtualMedia } from '../../test/support/virtual-media.ts';
import { zoneOf } from '../../test/support/zone.ts';
import { type Hop, udpHop } from '../sip/hop.ts';
import type { SipMessage, SipRequest, SipResponse } from '../sip/message.ts';
import { withTag } from '../sip/name-addr.ts';
import { parseMessage } from '../sip/parse.ts';
import { respond } from '../sip/response.ts';
import { serializeMessage } from '../sip/serialize.ts';
import { udpVia } from '../sip/via.ts';
import type { ProbeResult } from './probe.ts';
import { createReceiver } from './receiver.ts';
import type { SipTransport } from './sip-transport.ts';
import { createUserAgent, type UserAgent } from './user-agent.ts';

const STRANGER = { address: '203.0.113.66', port: 5060 };

let clock: VirtualClock;
let agent: UserAgent;
let peer: SipTransport;
let stranger: SipTransport;
let heard: SipMessage[];

const listen = (transport: SipTransport, onRequest?: (request: SipRequest) => SipResponse | null): void =>
  transport.onMessage((octets, from) => {
    const parsed = parseMessage(octets);
    if (!parsed.ok) throw new Error(parsed.problem);
    heard.push(parsed.message);
    const answer = parsed.message.kind === 'request' ? onRequest?.(parsed.message) : null;
    if (answer) transport.send(serializeMessage(answer), from);
  });

/** Lets the agent meet the peer, as the trunk monitor does. */
const meetPeer = async (answerWith: number | null): Promise<ProbeResult> => {
  listen(peer, (request) => (answerWith === null ? null : respond(request, answerWith, { toTag: 'p' })));
  const probed = agent.probe({ host: PEER.address, port: PEER.port, transport: 'udp' });
  await clock.advance(5_000);
  heard.length = 0;
  return probed;
};

const ask = async (transport: SipTransport, request: SipRequest): Promise<number[]> => {
  const via = udpVia(transport.address, transport.port, `z9hG4bK-${request.method}-${request.cseq.number}`);
  transport.send(serializeMessage({ ...request, vias: [via] }), OURS);
  await clock.advance(100);
  return heard.flatMap((message) => (message.kind === 'response' ? [message.status] : []));
};

beforeEach(() => {
  clock = createVirtualClock();
  const network = createSeededNetwork(clock);
  heard = [];
  peer = network.attach(PEER);
  stranger = network.attach(STRANGER);
  listen(stranger);
  agent = createUserAgent({
    transport: network.attach(OURS),
    media: createVirtualMedia(clock),
    externalAddress: null,
    dns: zoneOf({}),
    monotonicMs: () => clock.nowMs,
    wakeAfter: clock.wakeAfter,
    random: { digits: (length) => '1'.repeat(length), hex: (bytes) => 'ab'.repeat(bytes) },
    log: QUIET_LOG,
  });
});

describe('probe', () => {
  test.each([
    [200, 'up'],
    [404, 'up'],
    [405, 'up'],
    [503, 'down'],
    [100, 'down'],
    [null, 'down'],
  ])('an answer of %s: %s', async (status, health) => {
    expect(await meetPeer(status)).toMatchObject({ health });
    await clock.runOut();
    expect([agent.counts().transactions, clock.waiting]).toEqual([0, 0]);
  });

  test('a host that cannot be found is down', async () => {
    expect(await agent.probe({ host: 'no such host', port: 5060 })).toEqual({
      health: 'down',
      retryAfterMs: null,
      problem: 'The host name no such host has no address that can be reached from here.',
    });
  });
});

describe('a request of a stream without Content-Length', () => {
  const unframed = (method: string, from: Hop): number[] => {
    const answers: number[] = [];
    const none = { size: 0, findCancelled: () => null, receive: () => true, close: () => undefined };
    const receive = createReceiver({
      clients: {
        ...none,
        start: () => () => undefined,
        hush: () => undefined,
        handOver: () => undefined,
        lose: () => undefined,
      },
      servers: { ...none, open: (request) => ({ request, answer: ({ status }) => answers.push(status) }) },
      dialogs: new Map(),
      isKnown: ({ address }) => address === PEER.address,
      random: { digits: () => '1', hex: () => 'ab' },
      send: () => undefined,
      onStray: () => undefined,
      log: QUIET_LOG,
    });
    receive(serializeMessage(requestOf(method)), { ...from, transport: 'tcp', connection: 1 }, true);
    return answers;
  };

  test('is answered 400, but not an ACK, nor a stranger', () => {
    expect([unframed('BYE', PEER), unframed('ACK', PEER), unframed('BYE', udpHop(STRANGER))]).toEqual([[400], [], []]);
  });
});

describe('strangers', () => {
  test.each(['INVITE', 'OPTIONS', 'BYE', 'CANCEL', 'REGISTER', 'MESSAGE', 'ACK'])('%s gets silence', async (method) => {
    await meetPeer(200);
    expect(await ask(stranger, requestOf(method))).toEqual([]);
    const inDialog = requestOf(method, { to: withTag(requestOf(method).to, 'x'), cseq: { number: 2, method } });
    expect(await ask(stranger, inDialog)).toEqual([]);
    expect(agent.counts()).toMatchObject({ dialogs: 0 });
  });

  test('responses to nothing and octets that are no SIP get silence', async () => {
    stranger.send(serializeMessage(responseOf(200)), OURS);
    stranger.send(new Uint8Array(100), OURS);
    await clock.advance(1_000);
    expect(heard).toEqual([]);
  });

  test('any octets leave the agent as it was', async () => {
    const base = serializeMessage(requestOf('INVITE'));
    const edits = fc.array(fc.tuple(fc.nat(base.length - 1), fc.nat(255)), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(edits, async (changes) => {
        const octets = base.slice();
        for (const [at, value] of changes) octets[at] = value;
        stranger.send(octets, OURS);
        await clock.advance(10);
        expect([heard.length, agent.counts()]).toEqual([0, { calls: 0, dialogs: 0, transactions: 0 }]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('peers of ours', () => {
  test.each([
    ['OPTIONS', 200],
    ['INVITE', 480],
    ['BYE', 481],
    ['CANCEL', 481],
    ['MESSAGE', 405],
    ['PUZZLE', 501],
  ])('%s outside a dialog gets %i', async (method, status) => {
    await meetPeer(200);
    expect(await ask(peer, requestOf(method))).toEqual([status]);
  });

  test('a repeated request gets the same answer again, and ACK none', async () => {
    await meetPeer(200);
    expect(await ask(peer, requestOf('OPTIONS'))).toEqual([200]);
    expect(await ask(peer, requestOf('OPTIONS'))).toEqual([200, 200]);
    expect(heard[1]).toEqual(heard[0]);
    heard.length = 0;
    expect(await ask(peer, requestOf('ACK'))).toEqual([]);
  });

  test('an unknown dialog gets 481', async () => {
    await meetPeer(200);
    const { to } = requestOf('INFO');
    expect(await ask(peer, requestOf('INFO', { to: withTag(to, 'gone') }))).toEqual([481]);
  });
});
