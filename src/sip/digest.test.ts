import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Challenge, digestCredentials, digestResponse, parseChallenges, strongestOf } from './digest.ts';

/** What RFC 7616 3.9.1 asks with, and what it answers to. */
const RFC_7616 =
  'realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",' +
  ' opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
const MUFASA = {
  username: 'Mufasa',
  password: 'Circle of Life',
  method: 'GET',
  uri: '/dir/index.html',
  nonceCount: 1,
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
};

const only = (value: string): Challenge => {
  const [challenge, ...more] = parseChallenges(value);
  if (!challenge || more.length > 0) throw new Error(`${more.length} more challenges`);
  return challenge;
};

describe('published examples', () => {
  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('RFC 7616 3.9.1 with %s', (algorithm, response) => {
    const challenge = only(`Digest ${RFC_7616}, algorithm=${algorithm}`);
    expect(digestResponse({ challenge, ...MUFASA })).toBe(response);
  });

  test('RFC 2617 3.5', () => {
    const challenge = only(
      'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093",' +
        ' opaque="5ccc069c403ebaf9f0171e9517f40e41"',
    );
    const input = { ...MUFASA, challenge, password: 'Circle Of Life', cnonce: '0a4f113b' };
    expect(digestResponse(input)).toBe('6629fae49393a05397450978507c4ef1');
    expect(digestCredentials(input)).toBe(
      'Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093",' +
        ' uri="/dir/index.html", response="6629fae49393a05397450978507c4ef1", algorithm=MD5, qop=auth, nc=00000001,' +
        ' cnonce="0a4f113b", opaque="5ccc069c403ebaf9f0171e9517f40e41"',
    );
  });

  test('without qop, as in RFC 2069 with the erratum to its example', () => {
    const challenge = only('Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"');
    const input = { ...MUFASA, challenge, password: 'CircleOfLife' };
    expect(digestResponse(input)).toBe('1949323746fe6a43ef61f9606e7febea');
    expect(digestCredentials(input)).not.toMatch(/qop|nc=|cnonce/);
  });

  test('SHA-512/256, each hash written out', () => {
    const hash = (text: string): string => createHash('sha512-256').update(text).digest('hex');
    const secret = hash('bob:biloxi.com:zanzibar');
    const request = hash('INVITE:sip:bob@biloxi.com');
    const challenge = only('Digest realm="biloxi.com", nonce="n", qop="auth", algorithm=SHA-512-256');
    const input = { challenge, username: 'bob', password: 'zanzibar', method: 'INVITE', uri: 'sip:bob@biloxi.com' };
    expect(digestResponse({ ...input, nonceCount: 26, cnonce: 'c' })).toBe(
      hash(`${secret}:n:0000001a:c:auth:${request}`),
    );
  });
});

describe('challenges', () => {
  test('of one value, commas in quotes and other schemes between them', () => {
    const value =
      'Digest realm="a, Digest b", nonce="1,\\"2", algorithm=SHA-256, qop="auth-int,auth", Basic realm="x",' +
      ' NTLM, digest  nonce=3 , realm = "c",stale=TRUE, unknown="yes", opaque=""';
    expect(parseChallenges(value)).toEqual([
      { realm: 'a, Digest b', nonce: '1,\\"2', opaque: null, algorithm: 'SHA-256', qop: 'auth', isStale: false },
      { realm: 'c', nonce: '3', opaque: '', algorithm: 'MD5', qop: null, isStale: true },
    ]);
  });

  test('quoted pairs go back, and into the hash, as they came', () => {
    const challenge = only('Digest realm="a\\"b\\\\c", nonce="\\n", opaque="\\o"');
    const credentials = digestCredentials({ challenge, ...MUFASA });
    expect(credentials).toContain('realm="a\\"b\\\\c", nonce="\\n", ');
    expect(credentials).toContain('opaque="\\o"');
    const hash = (text: string): string => createHash('md5').update(text).digest('hex');
    expect(digestResponse({ challenge, ...MUFASA })).toBe(
      hash(`${hash('Mufasa:a\\"b\\\\c:Circle of Life')}:\\n:${hash('GET:/dir/index.html')}`),
    );
  });

  test.each([
    ['another scheme', 'Basic realm="x"'],
    ['an unknown algorithm', 'Digest realm="x", nonce="n", qop="auth", algorithm=AKAv1-MD5'],
    ['a session variant', 'Digest realm="x", nonce="n", qop="auth", algorithm=MD5-sess'],
    ['only qop auth-int', 'Digest realm="x", nonce="n", qop="auth-int"'],
    ['SHA-256 without qop', 'Digest realm="x", nonce="n", algorithm=SHA-256'],
    ['no nonce', 'Digest realm="x"'],
    ['no realm', 'Digest nonce="x"'],
    ['a parameter twice', 'Digest realm="x", nonce="n", nonce="m"'],
    ['an open quote', 'Digest realm="x", nonce="n'],
    ['a quote too many', 'Digest realm="x"y", nonce="n"'],
    ['a value that ends its place', 'Digest realm="x", nonce=n"m'],
    ['no parameters', 'Digest'],
    ['nothing', ''],
    ['a name of an object', 'Digest realm="x", nonce="n", algorithm=constructor'],
  ])('with %s cannot be answered', (_, value) => {
    expect(parseChallenges(value)).toEqual([]);
  });

  test('the strongest is answered, the first of equals', () => {
    const offered = ['MD5', 'SHA-256', 'SHA-512-256', 'SHA-512-256'].map((algorithm, index) =>
      only(`Digest realm="${index}", nonce="n", qop="auth", algorithm=${algorithm}`),
    );
    expect([strongestOf(offered)?.realm, strongestOf(offered.toReversed())?.realm]).toEqual(['2', '3']);
    expect([strongestOf(offered.slice(0, 2))?.realm, strongestOf([])]).toEqual(['1', null]);
  });
});

describe('properties', () => {
  const noise = fc.string({ unit: fc.constantFrom(...'Digest realm="n",\\= \t;<>qopauth'.split('')), maxLength: 80 });
  const rawText = fc
    .array(
      fc.oneof(
        fc.constantFrom(',', '=', ' ', '\\"', '\\\\', 'é', '<'),
        fc.string({ unit: fc.constantFrom(...'aZ09') }),
      ),
    )
    .map((parts) => parts.join(''));

  test('nothing that a peer writes makes parsing throw', () => {
    fc.assert(fc.property(fc.oneof(noise, fc.string({ unit: 'binary' })), (text) => void parseChallenges(text)));
    fc.assert(fc.property(noise, (text) => void parseChallenges(`Digest realm="r", nonce="n", ${text}`)));
  });

  test('whatever stands between quotes comes back as it was, and ends nothing', () => {
    fc.assert(
      fc.property(rawText, rawText, rawText, (realm, nonce, opaque) => {
        const challenge = only(`Digest realm="${realm}",nonce="${nonce}" , opaque="${opaque}"`);
        expect(challenge).toMatchObject({ realm, nonce, opaque });
        const [echoed] = parseChallenges(digestCredentials({ challenge, ...MUFASA }));
        expect(echoed).toMatchObject({ realm, nonce, opaque });
      }),
    );
  });
});
