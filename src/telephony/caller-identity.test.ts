import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTelephonyBench, PEER } from '../../test/support/telephony-bench.ts';
import type { CallTrunk } from '../domain/call.ts';
import { findHeader, findHeaders, type SipRequest } from '../sip/message.ts';
import { parseNameAddr } from '../sip/name-addr.ts';
import { parseMessage } from '../sip/parse.ts';
import { serializeMessage } from '../sip/serialize.ts';
import { isSipUri, sipUri } from '../sip/uri.ts';
import { buildInvite } from './build-invite.ts';

const TRUNK: CallTrunk = { id: 't1', host: PEER.address, port: PEER.port, transport: 'udp', credentials: null };

const inviteFor = async (callerId: string | null, trunk: CallTrunk | null): Promise<SipRequest> => {
  const bench = createTelephonyBench({ script: { refuse: { status: 486, afterMs: 0 } } });
  await bench.finish(bench.place({ callerId, trunk }));
  return bench.peer.received[0] as SipRequest;
};

describe('who calls (RFC 3325)', () => {
  test('a trunk is told who calls', async () => {
    const invite = await inviteFor('+15550001111', TRUNK);
    expect(findHeader(invite, 'P-Asserted-Identity')).toBe('<sip:+15550001111@10.0.0.1>');
    expect(findHeader(invite, 'Privacy')).toBeNull();
  });

  test('nobody else is told more than From says', async () => {
    expect(findHeader(await inviteFor('+15550001111', null), 'P-Asserted-Identity')).toBeNull();
  });

  test.each([TRUNK, null])('an anonymous call asserts nothing and asks for privacy', async (trunk) => {
    const invite = await inviteFor(null, trunk);
    expect(findHeaders(invite, 'P-Asserted-Identity')).toEqual([]);
    expect(findHeader(invite, 'Privacy')).toBe('id');
  });
});

describe('nothing leaves its place', () => {
  const NAMES = ['Allow', 'Supported', 'Session-Expires', 'P-Asserted-Identity', 'User-Agent'];
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('\r', '\n', '\0', '"', '\\', '<', '>', ';', ',', '@', '\u0085', '\u2028', '\ud800', 'a'),
    }),
  );
  const signalling = { portOf: () => 5060 };

  const built = (callerId: string, user: string) => {
    const order = { sipCallId: 'c', fromTag: 'f', branch: 'z9hG4bK1', callerId, trunk: TRUNK };
    const uri = sipUri({ user, host: PEER.address });
    const invite = buildInvite(signalling, {
      order,
      uri,
      localAddress: '10.0.0.1',
      offer: 'v=0\r\n',
    });
    const parsed = parseMessage(serializeMessage(invite));
    if (!parsed.ok || parsed.message.kind !== 'request') throw new Error(parsed.ok ? 'a response' : parsed.problem);
    return parsed.message;
  };

  test('whatever a caller id or a called user holds, the INVITE has the same headers, and they mean the same', () => {
    fc.assert(
      fc.property(anyText, anyText, (callerId, user) => {
        fc.pre(callerId !== '');
        const invite = built(callerId, user);
        expect(invite.headers.map(({ name }) => name)).toEqual(NAMES);
        expect([invite.callId, invite.cseq.number, invite.contacts.length]).toEqual(['c', 1, 0]);
        expect(invite.from.params).toEqual([['tag', 'f']]);
        expect(invite.to.params).toEqual([]);
        const identity = parseNameAddr(findHeader(invite, 'P-Asserted-Identity') ?? '');
        for (const uri of [invite.from.uri, identity?.uri]) {
          expect(uri && isSipUri(uri) && uri.host).toBe('10.0.0.1');
        }
        expect(isSipUri(invite.uri) && invite.uri.host).toBe(PEER.address);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a display name comes back as it was, but for line breaks and lone surrogates', () => {
    fc.assert(
      fc.property(anyText, (callerId) => {
        fc.pre(callerId !== '');
        expect(built(callerId, 'bob').from.display).toBe(callerId.toWellFormed().replace(/[\r\n]/g, ' '));
      }),
      { numRuns: 2_000 },
    );
  });
});
