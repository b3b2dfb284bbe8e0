import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createAuthority } from '../test/support/certificates.ts';
import { readSipTls } from './sip-tls.ts';

test('what SIP over TLS needs is read, or refused in a sentence that names the variable', async () => {
  const authority = await createAuthority();
  const [ours, other] = [await authority.issue('ours', 'DNS:a.test'), await authority.issue('other', 'DNS:b.test')];
  const { certificatePath, keyPath } = ours;
  expect(await readSipTls({ own: { certificatePath, keyPath }, authoritiesPath: authority.path })).toEqual({
    own: { certificate: ours.certificate, key: ours.key },
    authorities: authority.certificate,
  });
  expect(await readSipTls({ own: null, authoritiesPath: null })).toEqual({ own: null, authorities: null });

  const empty = join(dirname(certificatePath), 'empty.pem');
  await writeFile(empty, '');
  const broken = join(dirname(certificatePath), 'broken.pem');
  await writeFile(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const wrong: [Parameters<typeof readSipTls>[0], RegExp][] = [
    [{ own: { certificatePath: '/no/such', keyPath }, authoritiesPath: null }, /^RINGCAST_SIP_TLS_CERT: .*\/no\/such/],
    [{ own: { certificatePath, keyPath: '/no/such' }, authoritiesPath: null }, /^RINGCAST_SIP_TLS_KEY: .*\/no\/such/],
    [
      { own: { certificatePath, keyPath: other.keyPath }, authoritiesPath: null },
      /_KEY cannot be used .*expected a key/,
    ],
    [
      { own: { certificatePath: empty, keyPath }, authoritiesPath: null },
      /^RINGCAST_SIP_TLS_CERT: .*holds no certificate/,
    ],
    [{ own: null, authoritiesPath: broken }, /^RINGCAST_SIP_TLS_CA cannot be used .*expected whole certificates/],
    [{ own: null, authoritiesPath: empty }, /^RINGCAST_SIP_TLS_CA: .*holds no certificate/],
  ];
  for (const [files, sentence] of wrong) await expect(readSipTls(files)).rejects.toThrow(sentence);
});
