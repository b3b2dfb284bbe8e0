import { describe, expect, test } from 'vitest';
import { readDigest, TRUNK } from '../../test/support/digest-gate.ts';
import { requestOf, responseOf } from '../../test/support/sip-messages.ts';
import type { CallTrunk } from '../domain/call.ts';
import { findHeader, type SipResponse } from '../sip/message.ts';
import { createKnownChallenges } from './known-challenges.ts';
import type { Signalling } from './signalling.ts';
import { TrunkLogin } from './trunk-login.ts';

const PEER = { address: '192.0.2.2', port: 5060 };
const ELSEWHERE = { address: '192.0.2.99', port: 5060 };
const OTHER_PORT = { ...PEER, port: 5070 };

const challenge = (realm: string, nonce: string, status = 401): SipResponse => ({
  ...responseOf(status),
  headers: [
    {
      name: status === 401 ? 'www-authenticate' : 'Proxy-Authenticate',
      value: `Digest realm="${realm}", nonce="${nonce}", qop="auth"`,
    },
  ],
});

const openLogin = (trunk: CallTrunk | null = TRUNK) => {
  const challenges = createKnownChallenges(2);
  const random = { digits: () => '0', hex: () => 'abcdef' };
  const signalling = { challenges, random, onLogin: () => undefined } as Partial<Signalling> as Signalling;
  return { challenges, login: new TrunkLogin(signalling, trunk, [PEER]) };
};

describe('credentials', () => {
  test('go nowhere before the trunk has asked', () => {
    const { login } = openLogin();
    const request = requestOf('INVITE');
    expect(login.sign(request, PEER)).toBe(request);
  });

  test('are shown to the address of the trunk unasked, to no other', () => {
    const { login } = openLogin();
    login.answerer()(requestOf('INVITE'), challenge('trunk', 'n'), PEER);
    const bye = requestOf('BYE');
    expect(findHeader(login.sign(bye, PEER), 'Authorization')).toMatch(/nc=00000002/);
    for (const to of [ELSEWHERE, OTHER_PORT]) expect(login.sign(bye, to)).toBe(bye);
  });

  test('answer another address only in the realm of the trunk, and what it asked is not used again', () => {
    const { challenges, login } = openLogin();
    expect(login.answerer()(requestOf('BYE'), challenge('trunk', 'n'), ELSEWHERE)).toBeNull();
    login.answerer()(requestOf('INVITE'), challenge('trunk', 'n'), PEER);
    expect(login.answerer()(requestOf('BYE'), challenge('stranger', 'x'), ELSEWHERE)).toBeNull();
    const answer = login.answerer()(requestOf('BYE'), challenge('trunk', 'x', 407), ELSEWHERE);
    const value = (answer && findHeader(answer, 'Proxy-Authorization')) ?? '';
    expect(readDigest(value)).toMatchObject({ nonce: 'x', nc: '00000001' });
    expect(challenges.use(TRUNK)).toMatchObject({ challenge: { nonce: 'n' }, nonceCount: 2 });
  });

  test('are none for a trunk without them, or without a trunk', () => {
    for (const trunk of [{ ...TRUNK, credentials: null }, null]) {
      const { login } = openLogin(trunk);
      expect(login.answerer()(requestOf('INVITE'), challenge('trunk', 'n'), PEER)).toBeNull();
    }
  });

  test('the strongest of several header fields is answered, whatever stands beside it', () => {
    const { login } = openLogin();
    const values = [
      'Basic realm="trunk"',
      'Digest realm="trunk", nonce="1", qop="auth", algorithm=MD5, Digest realm="trunk", nonce="2", algorithm=SHA-1',
      'Digest realm="trunk", nonce="3", qop="auth", algorithm=SHA-512-256',
      'Digest realm="trunk", nonce="4", qop="auth", algorithm=SHA-256',
    ];
    const headers = values.map((value) => ({ name: 'WWW-Authenticate', value }));
    const answer = login.answerer()(requestOf('INVITE'), { ...responseOf(401), headers }, PEER);
    const value = (answer && findHeader(answer, 'Authorization')) ?? '';
    expect(readDigest(value)).toMatchObject({ nonce: '3', algorithm: 'SHA-512-256', uri: 'sip:bob@192.0.2.2' });
  });
});

describe('known challenges', () => {
  const asked = (nonce: string) => ({
    header: 'Authorization' as const,
    challenge: { realm: 'r', nonce, opaque: null, algorithm: 'MD5' as const, qop: 'auth' as const, isStale: false },
  });

  test('the same nonce asked again is counted on, a new one from 1', () => {
    const challenges = createKnownChallenges(2);
    expect([challenges.learn(TRUNK, asked('a')), challenges.learn(TRUNK, asked('a'))]).toEqual([1, 2]);
    expect(challenges.use(TRUNK)?.nonceCount).toBe(3);
    expect([challenges.learn(TRUNK, asked('b')), challenges.use(TRUNK)?.nonceCount]).toEqual([1, 2]);
  });

  test('of a trunk that was changed are forgotten, and the proof with them', () => {
    const challenges = createKnownChallenges(2);
    challenges.learn(TRUNK, asked('a'));
    challenges.prove(TRUNK);
    expect(challenges.isProved(TRUNK)).toBe(true);
    for (const changed of [
      { ...TRUNK, host: 'other' },
      { ...TRUNK, port: 1 },
      { ...TRUNK, credentials: null },
    ]) {
      expect([challenges.use(changed), challenges.realm(changed), challenges.isProved(changed)]).toEqual([
        null,
        null,
        false,
      ]);
    }
  });

  test('are kept for the trunks that asked last', () => {
    const challenges = createKnownChallenges(2);
    const trunks = ['a', 'b', 'c'].map((id) => ({ ...TRUNK, id }));
    for (const trunk of trunks) challenges.learn(trunk, asked(trunk.id));
    expect(trunks.map((trunk) => challenges.realm(trunk))).toEqual([null, 'r', 'r']);
  });
});
