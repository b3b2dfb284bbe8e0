import { describe, expect, test } from 'vitest';
import { CREDENTIALS, createDigestGate, type DigestGate, readDigest, TRUNK } from '../../test/support/digest-gate.ts';
import type { PeerScript, Refusal } from '../../test/support/peer-script.ts';
import { methodsOf } from '../../test/support/sip-messages.ts';
import { createTelephonyBench, type TelephonyBench } from '../../test/support/telephony-bench.ts';
import { findHeader, type SipRequest } from '../sip/message.ts';
import { tagOf } from '../sip/name-addr.ts';
import { branchOf } from '../sip/via.ts';

const ANSWERS: PeerScript = { ringAfterMs: 100, answerAfterMs: 1_000 };
const BUSY: PeerScript = { refuse: { status: 486, afterMs: 0 } };

const benchWith = (gate: (request: SipRequest) => Refusal | null, script: PeerScript = ANSWERS): TelephonyBench =>
  createTelephonyBench({ script: { ...script, gate } });

const invitesTo = (bench: TelephonyBench): SipRequest[] =>
  bench.peer.received.filter(({ method }) => method === 'INVITE');

const ask = (status: number, name: string, value: string): Refusal => ({ status, headers: [{ name, value }] });

describe('a trunk that asks for digest', () => {
  test.each([
    [401, 'MD5'],
    [401, 'SHA-256'],
    [407, 'SHA-512-256'],
  ] as const)('with %i and %s is answered, and the call goes on', async (status, algorithm) => {
    const bench = benchWith(createDigestGate({ status, algorithms: [algorithm] }));
    const placed = bench.place({ trunk: TRUNK });
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'completed', sipStatus: 200 });
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK', 'INVITE', 'ACK', 'BYE']);
    expect(bench.logins).toEqual(['t1 accepted']);
    expect(JSON.stringify([...bench.traffic])).not.toContain(CREDENTIALS.password);
    bench.expectRest();
  });

  test('the second INVITE has the names of the first, a new branch and the next CSeq number', async () => {
    const bench = benchWith(createDigestGate());
    await bench.finish(bench.place({ trunk: TRUNK }));
    const [first, second] = invitesTo(bench);
    expect(second?.callId).toBe(first?.callId);
    expect(second && tagOf(second.from)).toBe(first && tagOf(first.from));
    expect(second && tagOf(second.to)).toBeNull();
    expect([first?.cseq.number, second?.cseq.number]).toEqual([1, 2]);
    expect(second && branchOf(second.vias[0])).not.toBe(first && branchOf(first.vias[0]));
    expect(second?.body).toEqual(first?.body);
    const acks = bench.peer.received.filter(({ method }) => method === 'ACK');
    expect(acks.map(({ cseq }) => cseq.number)).toEqual([1, 2]);
    expect(acks[0] && branchOf(acks[0].vias[0])).toBe(first && branchOf(first.vias[0]));
  });

  test('the ACK of the 200 repeats the credentials of the INVITE (RFC 3261 13.2.2.4); CANCEL has none', async () => {
    const bench = benchWith(createDigestGate({ status: 407 }));
    await bench.finish(bench.place({ trunk: TRUNK }));
    const ack = bench.peer.received.filter(({ method }) => method === 'ACK')[1];
    const invite = invitesTo(bench)[1];
    expect(ack && findHeader(ack, 'Proxy-Authorization')).toBe(invite && findHeader(invite, 'Proxy-Authorization'));
    const ringing = benchWith(createDigestGate(), { ringAfterMs: 0 });
    await ringing.finish(ringing.place({ trunk: TRUNK, ringTimeoutMs: 5_000 }));
    const cancel = ringing.traffic.find(({ text }) => text.startsWith('CANCEL'));
    expect(cancel?.text).toMatch(/\r\nCSeq: 2 CANCEL\r\n/);
    expect(cancel?.text).not.toContain('Authorization');
  });

  test('the strongest of what it offers is chosen', async () => {
    const bench = benchWith(createDigestGate({ algorithms: ['MD5', 'SHA-256', 'MD5-sess', 'TOKEN'] }));
    expect((await bench.finish(bench.place({ trunk: TRUNK }))).outcome).toBe('completed');
    const invite = invitesTo(bench)[1];
    expect(readDigest((invite && findHeader(invite, 'Authorization')) ?? '').algorithm).toBe('SHA-256');
  });

  test('an old nonce is replaced by the new one, once', async () => {
    const gate = createDigestGate();
    let invites = 0;
    const bench = benchWith((request) => {
      if (request.method === 'INVITE' && ++invites === 2) gate.renew();
      return gate(request);
    });
    expect((await bench.finish(bench.place({ trunk: TRUNK }))).outcome).toBe('completed');
    expect(invitesTo(bench).map(({ cseq }) => cseq.number)).toEqual([1, 2, 3]);
    expect(bench.logins).toEqual(['t1 accepted']);
    bench.expectRest();
  });

  test('a nonce that is always old is not followed for ever', async () => {
    let asked = 0;
    const bench = benchWith(() =>
      ask(401, 'WWW-Authenticate', `Digest realm="r", nonce="${++asked}", qop="auth", stale=true`),
    );
    const result = await bench.finish(bench.place({ trunk: TRUNK }));
    expect(result).toMatchObject({ outcome: 'rejected', sipReason: expect.stringMatching(/nonces too old/) });
    expect([asked, bench.logins]).toEqual([3, []]);
    bench.expectRest();
  });
});

describe('a wrong password', () => {
  test.each([401, 407] as const)('is two INVITEs exactly, and the outcome says so (%i)', async (status) => {
    const bench = benchWith(createDigestGate({ status, password: 'another' }));
    const result = await bench.finish(bench.place({ trunk: TRUNK }));
    expect(result).toMatchObject({
      outcome: 'rejected',
      sipStatus: status,
      sipReason: expect.stringMatching(/^The trunk refused the user name or password \(40[17]/),
    });
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK', 'INVITE', 'ACK']);
    expect(bench.logins).toEqual(['t1 refused']);
    expect(JSON.stringify([result, bench.logins])).not.toContain(CREDENTIALS.password);
    bench.expectRest();
  });

  test('stale=true with the nonce that was just answered is a refusal', async () => {
    const bench = benchWith(() => ask(401, 'WWW-Authenticate', 'Digest realm="r", nonce="n", qop="auth", stale=true'));
    expect((await bench.finish(bench.place({ trunk: TRUNK }))).outcome).toBe('rejected');
    expect([invitesTo(bench).length, bench.logins]).toEqual([2, ['t1 refused']]);
  });

  test('a proxy that lets us in and a server behind it that asks too: two INVITEs, no more', async () => {
    const proxy = createDigestGate({ status: 407, realm: 'proxy' });
    const server = createDigestGate({ status: 401, realm: 'server' });
    const bench = benchWith((request) => proxy(request) ?? server(request));
    expect(await bench.finish(bench.place({ trunk: TRUNK }))).toMatchObject({ outcome: 'rejected', sipStatus: 401 });
    expect(invitesTo(bench)).toHaveLength(2);
    bench.expectRest();
  });

  test('403 to the first credentials is about them; later it is about the call', async () => {
    const gate = createDigestGate();
    let forbids = true;
    const bench = benchWith((request) => gate(request) ?? (forbids ? { status: 403, headers: [] } : null), BUSY);
    const first = await bench.finish(bench.place({ trunk: TRUNK }));
    expect([first.outcome, first.sipReason]).toEqual(['rejected', expect.stringMatching(/user name or password/)]);
    forbids = false;
    await bench.finish(bench.place({ trunk: TRUNK }));
    forbids = true;
    const later = await bench.finish(bench.place({ trunk: TRUNK }));
    expect([later.outcome, later.sipReason]).toEqual(['rejected', expect.not.stringMatching(/password/)]);
    expect(bench.logins).toEqual(['t1 refused', 't1 accepted', 't1 accepted']);
  });

  test.each([
    ['no user name here', { ...TRUNK, credentials: null }, 'Digest realm="r", nonce="n"', /it has none here/],
    ['an algorithm nobody knows', TRUNK, 'Digest realm="r", nonce="n", algorithm=AKAv1-MD5', /not supported/],
    ['another scheme', TRUNK, 'Basic realm="r"', /not supported/],
  ])('%s: one INVITE, rejected in words, and the trunk is not marked', async (_, trunk, value, words) => {
    const bench = benchWith(() => ask(401, 'WWW-Authenticate', value));
    const result = await bench.finish(bench.place({ trunk }));
    expect(result).toMatchObject({ outcome: 'rejected', sipReason: expect.stringMatching(words) });
    expect([invitesTo(bench).length, bench.logins]).toEqual([1, []]);
  });

  test('without a trunk there is nothing to answer with', async () => {
    const bench = benchWith(createDigestGate());
    expect(await bench.finish(bench.place())).toMatchObject({ outcome: 'rejected', sipStatus: 401 });
    expect(invitesTo(bench)).toHaveLength(1);
  });
});

describe('a nonce is used again', () => {
  const nonceCountsOf = (gate: DigestGate): string[] => gate.nonceCounts.map((use) => use.replace(/ 0*/, ' '));

  test('for the BYE and for later calls, counted up, so that nothing is asked twice', async () => {
    const gate = createDigestGate();
    const bench = benchWith(gate);
    for (let call = 0; call < 3; call++) {
      expect((await bench.finish(bench.place({ trunk: TRUNK }))).outcome).toBe('completed');
    }
    expect(nonceCountsOf(gate)).toEqual(['n1 1', 'n1 2', 'n1 3', 'n1 4', 'n1 5', 'n1 6']);
    expect(invitesTo(bench)).toHaveLength(4);
    bench.expectRest();
  });

  test('until it is too old: the new one takes its place', async () => {
    const gate = createDigestGate();
    const bench = benchWith(gate);
    await bench.finish(bench.place({ trunk: TRUNK }));
    gate.renew();
    expect((await bench.finish(bench.place({ trunk: TRUNK }))).outcome).toBe('completed');
    expect(nonceCountsOf(gate).at(-1)).toMatch(/^n[34] 2$/);
    expect(bench.logins).toEqual(['t1 accepted', 't1 accepted']);
  });

  test('never with another password, by another trunk or without one', async () => {
    const bench = benchWith(createDigestGate(), BUSY);
    await bench.finish(bench.place({ trunk: TRUNK }));
    const others = [
      { ...TRUNK, credentials: { ...CREDENTIALS, password: 'new' } },
      { ...TRUNK, id: 't2' },
      { ...TRUNK, credentials: null },
      null,
    ];
    for (const trunk of others) {
      const before = invitesTo(bench).length;
      await bench.finish(bench.place({ trunk }));
      const first = invitesTo(bench)[before];
      expect(first && findHeader(first, 'Authorization')).toBeNull();
    }
  });

  test('a BYE that is asked for credentials is sent once more with them', async () => {
    const bench = benchWith(createDigestGate({ methods: ['BYE'] }));
    expect((await bench.finish(bench.place({ trunk: TRUNK }))).outcome).toBe('completed');
    const byes = bench.peer.received.filter(({ method }) => method === 'BYE');
    expect(byes.map(({ cseq }) => cseq.number)).toEqual([2, 3]);
    expect(bench.peer.calls[0]?.state).toBe('ended');
    bench.expectRest();
  });

  test('a BYE whose credentials are refused is over', async () => {
    const bench = benchWith(createDigestGate({ methods: ['BYE'], password: 'another' }));
    expect((await bench.finish(bench.place({ trunk: TRUNK }))).outcome).toBe('completed');
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK', 'BYE', 'BYE']);
    bench.expectRest();
  });
});
