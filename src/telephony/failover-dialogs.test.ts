/** What comes of a call's dialogs and further INVITEs when its trunk has several hops. */
import { describe, expect, test } from 'vitest';
import { CREDENTIALS, createDigestGate } from '../../test/support/digest-gate.ts';
import type { PeerScript } from '../../test/support/peer-script.ts';
import { methodsOf } from '../../test/support/sip-messages.ts';
import type { SipPeer } from '../../test/support/sip-peer.ts';
import { sdpParts } from '../../test/support/talking.ts';
import { createTelephonyBench, PEER, type TelephonyBench } from '../../test/support/telephony-bench.ts';
import { udpHop } from '../sip/hop.ts';
import { type NameAddr, parseNameAddr, serializeNameAddr } from '../sip/name-addr.ts';
import { parseUri, type SipUri } from '../sip/uri.ts';
import { hopsOfRedirect } from './next-invite.ts';
import { HOP_PATIENCE_MS } from './try-hops.ts';

const FIRST = '10.0.0.9';
const TRUNK = { id: 't1', host: 'trunk.test', port: PEER.port, transport: 'udp', credentials: CREDENTIALS } as const;
const NUMBER = '+15551230000';
const LATE: PeerScript = { answerAfterMs: HOP_PATIENCE_MS + 1_000 };
const RELIABLE = {
  headers: [
    { name: 'Require', value: '100rel' },
    { name: 'RSeq', value: '7' },
  ],
};

const benchWith = (first: PeerScript | null, script: PeerScript): TelephonyBench =>
  createTelephonyBench({
    script,
    zone: { 'trunk.test': [FIRST, PEER.address] },
    others: first === null ? {} : { [FIRST]: first },
  });

const ring = (bench: TelephonyBench) => bench.place({ destination: NUMBER, trunk: TRUNK });
const invitesOf = ({ received }: SipPeer) => received.filter(({ method }) => method === 'INVITE');

/** Lets the second hop ring reliably, before the first one answers after all. */
const ringReliably = async (bench: TelephonyBench): Promise<void> => {
  await bench.clock.advance(HOP_PATIENCE_MS + 300);
  bench.peer.calls[0]?.say(183, { ...sdpParts(), ...RELIABLE });
};

describe('a first hop that picks up while the second rings', () => {
  test('is the call and hears the voice, and the early dialog of the second ends by CANCEL', async () => {
    const bench = benchWith(LATE, {});
    const placed = ring(bench);
    await ringReliably(bench);
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'completed' });
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'PRACK', 'CANCEL', 'ACK']);
    expect(bench.media.events.find(({ kind }) => kind === 'play')).toMatchObject({ to: { address: FIRST } });
    bench.expectRest();
  });

  test('stays the call when the second picks up too, which is hung up as surplus', async () => {
    const bench = benchWith(LATE, { answerAfterMs: 1_003, isDeafToCancel: true });
    const placed = ring(bench);
    await ringReliably(bench);
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'completed' });
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'PRACK', 'CANCEL', 'ACK', 'BYE']);
    expect(bench.other(FIRST).calls[0]?.state).toBe('ended');
    bench.expectRest();
  });

  test('is hung up when the second has been sent credentials, and its own BYE does not end the call', async () => {
    const bench = benchWith(LATE, { gate: createDigestGate(), ringAfterMs: 100, answerAfterMs: 3_000 });
    const placed = ring(bench);
    await bench.clock.advance(HOP_PATIENCE_MS + 1_008);
    void bench.other(FIRST).calls[0]?.hangUp();
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'completed' });
    expect(methodsOf(bench.other(FIRST).received).slice(-2)).toEqual(['ACK', 'BYE']);
    expect(bench.media.events.find(({ kind }) => kind === 'play')).toMatchObject({ to: { address: PEER.address } });
    bench.expectRest();
  });
});

test('each INVITE says how we are reached over the transport of its hop', async () => {
  const bench = createTelephonyBench({
    script: {},
    zone: { 'phones.test': [FIRST] },
    srv: async (name) =>
      name === '_sips._tcp.phones.test' ? [] : [{ name: 'phones.test', port: 5070, priority: 0, weight: 0 }],
  });
  const placed = bench.place({ destination: 'sip:bob@phones.test' });
  await bench.finish(placed);
  const contacts = bench.traffic
    .filter(({ text }) => text.startsWith('INVITE'))
    .map(({ text }) => /Contact: (.*)\r/.exec(text)?.[1]);
  expect([...new Set(contacts)]).toEqual([
    '<sip:ringcast@10.0.0.1:5060>',
    '<sip:ringcast@10.0.0.1:5060;transport=tcp>',
  ]);
  bench.expectRest();
});

describe('a redirect by a trunk of several hops', () => {
  const contactsOf = (text: string): readonly NameAddr[] => [parseNameAddr(text)].filter((contact) => contact !== null);
  const redirecting = (contact: string): PeerScript => {
    let isFirst = true;
    const gate: PeerScript['gate'] = ({ method }) => {
      if (method !== 'INVITE' || !isFirst) return null;
      isFirst = false;
      return { status: 302, headers: [], contacts: contactsOf(contact) };
    };
    return { answerAfterMs: 0, gate };
  };

  test('to its name goes first to the hop that has answered', async () => {
    const bench = benchWith(null, redirecting(`<sip:${NUMBER}@trunk.test:${PEER.port};x=1>`));
    expect(await bench.finish(ring(bench))).toMatchObject({ outcome: 'completed' });
    expect(invitesOf(bench.peer).map(({ cseq }) => cseq.number)).toEqual([1, 2]);
    expect(bench.clock.nowMs).toBeGreaterThan(HOP_PATIENCE_MS);
    bench.expectRest();
  });

  test('to the address of another hop goes there, with that hop as its only one', async () => {
    const bench = benchWith(redirecting(`<sip:${NUMBER}@${PEER.address}:${PEER.port}>`), { answerAfterMs: 0 });
    expect(await bench.finish(ring(bench))).toMatchObject({ outcome: 'completed' });
    expect(methodsOf(bench.other(FIRST).received)).toEqual(['INVITE', 'ACK']);
    const [contact] = invitesOf(bench.peer)[0]?.contacts ?? [];
    expect(contact && serializeNameAddr(contact)).toBe('<sip:ringcast@10.0.0.1:5060>');
    bench.expectRest();
  });

  const HOPS = [udpHop({ address: FIRST, port: 5080 }), udpHop(PEER)];
  test.each([
    ['its name, the ports being from DNS', 'sip:1@trunk.test', null, [`${FIRST}:5080`, `${PEER.address}:5070`]],
    ['its name, the port being dialled', 'sip:1@trunk.test', 5080, [`${FIRST}:5060`, `${PEER.address}:5060`]],
    ['a port of its own', 'sip:1@trunk.test:5090', null, [`${FIRST}:5090`, `${PEER.address}:5090`]],
    ['one address', `sip:1@${FIRST}`, null, [`${FIRST}:5060`]],
    ['one address and port', `sip:1@${FIRST}:5090`, 5080, [`${FIRST}:5090`]],
  ])('to %s', (_what, text, dialledPort, expected) => {
    const hops = hopsOfRedirect(parseUri(text) as SipUri, HOPS, dialledPort);
    expect(hops.map(({ address, port }) => `${address}:${port}`)).toEqual(expected);
  });
});
