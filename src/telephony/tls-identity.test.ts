import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthority } from '../../test/support/certificates.ts';
import { identityProblem } from './tls-identity.ts';

const CASES: readonly [subjectAltName: string, proves: readonly string[], not: readonly string[]][] = [
  ['DNS:a.test', ['a.test', 'A.TEST'], ['b.test', 'x.a.test', '192.0.2.1']],
  ['DNS:*.a.test', ['x.a.test'], ['a.test', 'x.y.a.test']],
  ['IP:192.0.2.1,IP:2001:db8::1', ['192.0.2.1', '2001:db8::1', '2001:DB8:0::1'], ['192.0.2.2', 'a.test']],
  ['URI:sip:a.test,DNS:b.test', ['a.test', 'A.test'], ['b.test']],
  ['URI:sip:a@a.test,URI:https://a.test,DNS:b.test', ['b.test'], ['a.test']],
];

test('a certificate proves what RFC 5922 says it proves', async () => {
  const authority = await createAuthority();
  for (const [subjectAltName, proves, not] of CASES) {
    const { raw } = new X509Certificate((await authority.issue('peer', subjectAltName)).certificate);
    for (const name of proves) expect([name, identityProblem(raw, name)]).toEqual([name, undefined]);
    for (const name of not)
      expect(identityProblem(raw, name)?.message).toContain(`certificate of ${name} is for others`);
  }
});
