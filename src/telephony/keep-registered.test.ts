import { describe, expect, test } from 'vitest';
import { CREDENTIALS, createDigestGate, TRUNK } from '../../test/support/digest-gate.ts';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createSeededNetwork } from '../../test/support/seeded-network.ts';
import { OURS, PEER } from '../../test/support/telephony-bench.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { createVirtualMedia } from '../../test/support/virtual-media.ts';
import { zoneOf } from '../../test/support/zone.ts';
import type { CallTrunk } from '../domain/call.ts';
import type { Log } from '../domain/ports.ts';
import type { Header, SipRequest } from '../sip/message.ts';
import { parseMessage } from '../sip/parse.ts';
import { respond } from '../sip/response.ts';
import { serializeMessage } from '../sip/serialize.ts';
import { serializeUri } from '../sip/uri.ts';
import { branchOf } from '../sip/via.ts';
import { createRegistrations } from './registrations.ts';
import { createUserAgent } from './user-agent.ts';

type Answer = { readonly status: number; readonly headers?: readonly Header[] } | null;

const expires = (seconds: number): Header => ({ name: 'Expires', value: String(seconds) });
const GRANTS: Answer = { status: 200, headers: [expires(600)] };

/** A user agent and a registrar that answers as told. */
const bench = (
  answer: (request: SipRequest, nth: number) => Answer,
  addresses: readonly string[] = [PEER.address],
  log: Log = QUIET_LOG,
) => {
  const clock = createVirtualClock();
  const network = createSeededNetwork(clock);
  const registrar = network.attach(PEER);
  const received: { readonly atMs: number; readonly expires: string; readonly request: SipRequest }[] = [];
  const logins: string[] = [];
  let ids = 0;
  registrar.onMessage((octets, from) => {
    const parsed = parseMessage(octets);
    if (!parsed.ok || parsed.message.kind !== 'request') throw new Error('no request');
    const { message } = parsed;
    const seconds = message.headers.find(({ name }) => name === 'Expires')?.value ?? '';
    received.push({ atMs: clock.nowMs, expires: seconds, request: message });
    const { status, headers = [] } = answer(message, received.length) ?? { status: 0 };
    if (status > 0) registrar.send(serializeMessage(respond(message, status, { toTag: 'r', headers })), from);
  });
  const agent = createUserAgent({
    transport: network.attach(OURS),
    media: createVirtualMedia(clock),
    externalAddress: null,
    dns: zoneOf({ 'trunk.test': addresses }),
    monotonicMs: () => clock.nowMs,
    wakeAfter: clock.wakeAfter,
    // Half of what is left to chance.
    random: { digits: (length) => '1'.repeat(length), hex: (bytes) => (bytes === 4 ? '80000000' : `${++ids}`) },
    log,
    onLogin: (trunkId, verdict) => logins.push(`${trunkId} ${verdict}`),
  });
  const register = (trunk: CallTrunk) => agent.register(trunk, () => clock.nowMs);
  const times = (): string[] => received.map(({ atMs, expires }) => `${Math.floor(atMs / 1000)} ${expires}`);
  return { clock, agent, received, logins, register, times };
};

const NAMED: CallTrunk = { ...TRUNK, host: 'trunk.test' };

describe('a registration', () => {
  test('is made with digest, refreshed under the same names, and taken back', async () => {
    const gate = createDigestGate({ methods: ['REGISTER'] });
    const { clock, register, received, logins, times, agent } = bench((request) => gate(request) ?? GRANTS);
    const kept = register(TRUNK);
    expect(kept.now()).toEqual({ state: 'registering', expiresAt: null, reason: null });
    await clock.advance(1_000);
    expect(kept.now()).toMatchObject({ state: 'registered', reason: null });
    await clock.advance(400_000);
    const left = kept.leave();
    await clock.advance(1_000);
    await left;
    // 55 % of 600 s.
    expect(times()).toEqual(['0 600', '0 600', '330 600', '401 0']);
    expect(new Set(received.map(({ request }) => request.callId)).size).toBe(1);
    expect(received.map(({ request }) => request.cseq.number)).toEqual([1, 2, 3, 4]);
    expect(new Set(received.map(({ request }) => branchOf(request.vias[0]))).size).toBe(4);
    const [first] = received;
    expect(first && serializeUri(first.request.uri)).toBe('sip:10.0.0.2:5070');
    expect(first && serializeUri(first.request.to.uri)).toBe(`sip:${CREDENTIALS.username}@10.0.0.2`);
    expect(first?.request.contacts.map(({ uri }) => serializeUri(uri))).toEqual(['sip:t1@10.0.0.1:5060']);
    expect(logins.at(-1)).toBe('t1 accepted');
    await clock.runOut();
    expect([agent.counts().transactions, clock.waiting]).toEqual([0, 0]);
  });

  test('wrong password: two REGISTERs, the trunk is said to refuse it, and the next try comes later and later', async () => {
    const gate = createDigestGate({ methods: ['REGISTER'], password: 'another' });
    const { clock, register, logins, times } = bench(gate);
    const kept = register(TRUNK);
    await clock.advance(20_000);
    expect(times()).toEqual(['0 600', '0 600', '3 600', '3 600', '11 600', '11 600']);
    expect(logins).toEqual(['t1 refused', 't1 refused', 't1 refused']);
    expect(kept.now()).toMatchObject({ state: 'failed', reason: expect.stringMatching(/refused the user name or/) });
  });

  test('423 is asked again with what is wanted', async () => {
    const brief: Answer = { status: 423, headers: [{ name: 'Min-Expires', value: '1800' }] };
    const { clock, register, times } = bench((_, nth) =>
      nth === 1 ? brief : { status: 200, headers: [expires(1800)] },
    );
    const kept = register(TRUNK);
    await clock.advance(1_000_000);
    expect(times()).toEqual(['0 600', '0 1800', '990 1800']);
    expect(kept.now()).toMatchObject({ state: 'registered', reason: null });
  });

  test('a busy registrar gets the time that it wants', async () => {
    const busy: Answer = { status: 503, headers: [{ name: 'Retry-After', value: '90 (a while)' }] };
    const { clock, register, times } = bench((_, nth) => (nth === 1 ? busy : GRANTS));
    const kept = register(TRUNK);
    await clock.advance(60_000);
    expect(kept.now()).toMatchObject({ state: 'failed', reason: '503 Service Unavailable' });
    await clock.advance(60_000);
    expect(times()).toEqual(['0 600', '90 600']);
  });

  test('that cannot be refreshed holds until it ends', async () => {
    const { clock, register } = bench((_, nth) => (nth === 1 ? GRANTS : null));
    const kept = register(TRUNK);
    await clock.advance(400_000);
    expect(kept.now()).toEqual({ state: 'failed', expiresAt: 600_010, reason: 'No SIP answer came.' });
    await clock.advance(201_000);
    expect(kept.now()).toMatchObject({ state: expect.stringMatching(/failed|registered/), expiresAt: null });
  });

  test('that fails is one line of the log, however often it is tried, and one when it holds again', async () => {
    const lines: unknown[] = [];
    const note = (words: object) => void lines.push(words);
    const log: Log = { ...QUIET_LOG, info: note, warn: note };
    const forbidden: Answer = { status: 403 };
    const { clock, register } = bench((_, nth) => (nth > 1 && nth < 6 ? forbidden : GRANTS), undefined, log);
    register(TRUNK);
    await clock.advance(2_000_000);
    expect(lines).toEqual([
      { trunkId: 't1', state: 'registered', reason: null },
      { trunkId: 't1', state: 'failed', reason: expect.stringContaining('403') },
      { trunkId: 't1', state: 'registered', reason: null },
    ]);
  });

  test('is granted what the registrar says of its own binding, not of another node with the same trunk', async () => {
    const contact = (address: string, seconds: number): Header => ({
      name: 'Contact',
      value: `<sip:t1@${address}:5060>;expires=${seconds}`,
    });
    const other = contact('10.0.0.77', 20);
    const { clock, register, times } = bench(() => ({ status: 200, headers: [other, contact(OURS.address, 400)] }));
    expect(OURS.port).toBe(5060);
    register(TRUNK);
    await clock.advance(300_000);
    // 55 % of 400 s.
    expect(times()).toEqual(['0 600', '220 600']);
  });

  test('goes to the next address of the trunk when the first is dead', async () => {
    const { clock, register, times } = bench(() => GRANTS, ['10.0.0.9', PEER.address]);
    const kept = register(NAMED);
    await clock.advance(10_000);
    expect(times()).toEqual(['5 600']);
    expect(kept.now().state).toBe('registered');
  });

  test('with a trunk that nobody can find fails in words', async () => {
    const { clock, register } = bench(() => GRANTS);
    const kept = register({ ...NAMED, host: 'nobody.test' });
    await clock.advance(1);
    expect(kept.now()).toMatchObject({ state: 'failed', reason: expect.stringMatching(/nobody\.test has no address/) });
    await kept.leave();
  });
});

describe('registrations', () => {
  test('follow the trunks: what changed is taken back before it is made anew', async () => {
    const { clock, register, received } = bench(() => GRANTS);
    const registrations = createRegistrations({ register, wakeAfter: clock.wakeAfter });
    const users = (): string[] => received.map(({ request, expires }) => `${serializeUri(request.to.uri)} ${expires}`);
    registrations.follow([TRUNK]);
    await clock.advance(1_000);
    registrations.follow([{ ...TRUNK }]);
    registrations.follow([{ ...TRUNK, credentials: { ...CREDENTIALS, username: 'new' } }]);
    await clock.advance(1_000);
    expect(users()).toEqual(['sip:ringcast@10.0.0.2 600', 'sip:ringcast@10.0.0.2 0', 'sip:new@10.0.0.2 600']);
    expect([registrations.of('t1')?.state, registrations.of('t2')]).toEqual(['registered', null]);
    registrations.follow([]);
    await clock.advance(1_000);
    expect([users().at(-1), registrations.of('t1')]).toEqual(['sip:new@10.0.0.2 0', null]);
  });

  test('closing takes all back, and waits no longer than it must', async () => {
    const { clock, register, times } = bench((request) => (request.cseq.number === 1 ? GRANTS : null));
    const registrations = createRegistrations({ register, wakeAfter: clock.wakeAfter });
    registrations.follow([TRUNK]);
    await clock.advance(1_000);
    let isClosed = false;
    const closed = registrations.close().then(() => {
      isClosed = true;
    });
    await clock.advance(1_999);
    expect([isClosed, times()]).toEqual([false, ['0 600', '1 0', '1 0', '2 0']]);
    await clock.advance(1);
    await closed;
  });
});
