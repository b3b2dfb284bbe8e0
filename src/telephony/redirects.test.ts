import { describe, expect, test } from 'vitest';
import type { Refusal } from '../../test/support/peer-script.ts';
import { methodsOf } from '../../test/support/sip-messages.ts';
import { createTelephonyBench, PEER } from '../../test/support/telephony-bench.ts';
import type { CallTrunk } from '../domain/call.ts';
import type { SipRequest } from '../sip/message.ts';
import { type NameAddr, parseNameAddr } from '../sip/name-addr.ts';
import { serializeUri } from '../sip/uri.ts';

const TRUNK: CallTrunk = { id: 't1', host: PEER.address, port: PEER.port, transport: 'udp', credentials: null };
const HOME = `${PEER.address}:${PEER.port}`;

const contactsOf = (texts: readonly string[]): readonly NameAddr[] =>
  texts.map((text) => parseNameAddr(text)).filter((contact) => contact !== null);

/** Redirects by script: what each Request-URI is refused with. */
const gateOf = (refusals: Readonly<Record<string, { status: number; contacts?: readonly string[] }>>) => {
  return ({ method, uri }: SipRequest): Refusal | null => {
    const refusal = method === 'INVITE' ? refusals[serializeUri(uri)] : undefined;
    return refusal ? { status: refusal.status, headers: [], contacts: contactsOf(refusal.contacts ?? []) } : null;
  };
};
const NUMBER = `sip:+15551230000@${HOME};user=phone`;
const callNumber = async (refusals: Parameters<typeof gateOf>[0]) => {
  const bench = createTelephonyBench({ script: { answerAfterMs: 0, gate: gateOf(refusals) } });
  const result = await bench.finish(bench.place({ destination: '+15551230000', trunk: TRUNK }));
  bench.expectRest();
  return { bench, result, invites: bench.peer.received.filter(({ method }) => method === 'INVITE') };
};

describe('3xx within the trunk (RFC 3261 8.1.3.4)', () => {
  test('the Contact is called in the same attempt: new branch, next CSeq, the rest as it was', async () => {
    const target = `sip:+15551230000;rn=+15559990000@${HOME}`;
    const { result, invites } = await callNumber({ [NUMBER]: { status: 302, contacts: [`<${target}>`] } });
    expect(result.outcome).toBe('completed');
    const [first, second] = invites as [SipRequest, SipRequest];
    expect(serializeUri(second.uri)).toBe(target);
    expect([second.callId, second.from, second.to]).toEqual([first.callId, first.from, first.to]);
    expect([first.cseq.number, second.cseq.number]).toEqual([1, 2]);
    expect(second.vias[0].params).not.toEqual(first.vias[0].params);
  });

  test('several are tried by their q, each once', async () => {
    const targetOf = (name: string) => `sip:+15551230000@${HOME};x=${name}`;
    const { result, invites } = await callNumber({
      [NUMBER]: {
        status: 300,
        contacts: [`<${targetOf('c')}>;q=0.1`, `<${targetOf('a')}>`, `<${targetOf('b')}>;q=0.5`, `<${NUMBER}>`],
      },
      [targetOf('a')]: { status: 503 },
      [targetOf('b')]: { status: 404 },
    });
    expect(result.outcome).toBe('completed');
    expect(invites.slice(1).map(({ uri }) => serializeUri(uri))).toEqual(['a', 'b', 'c'].map(targetOf));
  });

  test('a busy target is the end: the called party itself has spoken', async () => {
    const a = `sip:+15551230000@${HOME};x=a`;
    const b = `sip:+15551230000@${HOME};x=b`;
    const { result, invites } = await callNumber({
      [NUMBER]: { status: 300, contacts: [`<${a}>`, `<${b}>`] },
      [a]: { status: 486 },
    });
    expect([result.outcome, invites.length]).toEqual(['busy', 2]);
  });

  test('at most four are followed', async () => {
    const targetOf = (i: number) => (i === 0 ? NUMBER : `sip:+15551230000@${HOME};x=${i}`);
    const chain = Object.fromEntries(
      Array.from({ length: 9 }, (_, i) => [targetOf(i), { status: 302, contacts: [`<${targetOf(i + 1)}>`] }]),
    );
    const { result, invites } = await callNumber(chain);
    expect(invites).toHaveLength(5);
    expect(result).toMatchObject({ outcome: 'unreachable', sipReason: expect.stringMatching(/again and again.*302/) });
  });

  test('a circle ends where it began', async () => {
    const other = `sip:+15551230000@${HOME};x=1`;
    const { result, invites } = await callNumber({
      [NUMBER]: { status: 302, contacts: [`<${other}>`] },
      [other]: { status: 302, contacts: [`<${NUMBER}>`] },
    });
    expect([invites.length, result.outcome, result.sipStatus]).toEqual([2, 'unreachable', 302]);
  });

  test.each([
    ['another host', '<sip:+15551230000@203.0.113.9>'],
    ['another number', `<sip:+19005550000@${HOME}>`],
    ['a number that only begins the same', `<sip:+155512300001@${HOME}>`],
    ['an maddr', `<sip:+15551230000@${HOME};maddr=203.0.113.9>`],
    ['a tel: URI', '<tel:+19005550000>'],
    ['a sips: URI for a call that is not', `<sips:+15551230000@${HOME}>`],
  ])('%s is not followed, and the outcome says so', async (_what, contact) => {
    const { result, invites } = await callNumber({ [NUMBER]: { status: 302, contacts: [contact] } });
    expect(invites).toHaveLength(1);
    expect(result).toMatchObject({
      outcome: 'unreachable',
      sipStatus: 302,
      sipReason: expect.stringMatching(
        /redirects the call to .* only the same number over the trunk may be called \(302\)/,
      ),
    });
  });

  test('headers in a Contact do not reach the INVITE', async () => {
    const { invites } = await callNumber({
      [NUMBER]: { status: 302, contacts: [`<sip:+15551230000@${HOME};x=1?Route=%3Csip:203.0.113.9%3E>`] },
    });
    expect(invites).toHaveLength(2);
    expect(invites[1]?.routes).toEqual([]);
    expect(serializeUri((invites[1] as SipRequest).uri)).toBe(`sip:+15551230000@${HOME};x=1`);
  });

  test('a call that is to end does not follow', async () => {
    const bench = createTelephonyBench({
      script: { gate: gateOf({ [NUMBER]: { status: 302, contacts: [`<sip:+15551230000@${HOME};x=1>`] } }) },
    });
    const placed = bench.place({ destination: '+15551230000', trunk: TRUNK });
    await bench.clock.advance(1);
    placed.call.cancel();
    expect((await bench.finish(placed)).outcome).toBe('cancelled');
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK']);
    bench.expectRest();
  });
});

test('a SIP URI over a trunk keeps its user: the trunk would dial a number for us', async () => {
  const gate = gateOf({ [`sip:bob@${HOME}`]: { status: 302, contacts: [`<sip:+19005550000@${HOME}>`] } });
  const bench = createTelephonyBench({ script: { answerAfterMs: 0, gate } });
  expect((await bench.finish(bench.place({ trunk: TRUNK }))).outcome).toBe('unreachable');
  expect(bench.peer.received.filter(({ method }) => method === 'INVITE')).toHaveLength(1);
});

describe('3xx of a destination that is dialled directly', () => {
  const direct = async (contact: string) => {
    const gate = gateOf({ [`sip:bob@${HOME}`]: { status: 302, contacts: [contact] } });
    const bench = createTelephonyBench({ script: { answerAfterMs: 0, gate } });
    return bench.finish(bench.place());
  };

  test('another user of its host is called', async () => {
    expect((await direct(`<sip:carol@${HOME}>`)).outcome).toBe('completed');
  });

  test('another host is not', async () => {
    expect(await direct('<sip:bob@203.0.113.9>')).toMatchObject({
      outcome: 'unreachable',
      sipReason: expect.stringMatching(/203\.0\.113\.9, and only its own host/),
    });
  });
});
