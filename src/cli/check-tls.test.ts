import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createAuthority } from '../../test/support/certificates.ts';
import { checkTls } from './check-tls.ts';

const NONE = { certificate: '', key: '', authorities: '' };
const DAY_MS = 86_400_000;

test('the certificates of SIP over TLS: what is not set, what holds, what has ended, what does not belong together', async () => {
  const authority = await createAuthority();
  const [a, b] = [await authority.issue('a', 'DNS:a.test'), await authority.issue('b', 'DNS:b.test')];
  const now = Date.now();
  const own = { certificate: a.certificatePath, key: a.keyPath };
  expect(await checkTls(NONE, now)).toEqual([]);
  expect(await checkTls({ ...own, authorities: authority.path }, now)).toMatchObject([
    { name: 'sip certificate', state: 'ok', detail: expect.stringMatching(/^DNS:a\.test until [-0-9]+$/) },
    { name: 'sip authorities', state: 'ok', detail: expect.stringMatching(/^CN=Test CA until/) },
  ]);
  expect(await checkTls({ ...NONE, ...own }, now + 3 * DAY_MS)).toMatchObject([
    {
      state: 'problem',
      detail: expect.stringContaining('DNS:a.test ended on '),
      fix: expect.stringContaining('renew'),
    },
  ]);
  expect(await checkTls({ ...NONE, ...own }, now - DAY_MS)).toMatchObject([
    { state: 'problem', fix: expect.stringContaining('clock') },
  ]);
  expect(await checkTls({ ...NONE, ...own, key: b.keyPath }, now)).toMatchObject([
    {
      state: 'problem',
      detail: expect.stringContaining('cannot be used'),
      fix: expect.stringContaining('belong together'),
    },
  ]);
  expect(await checkTls({ ...NONE, certificate: a.certificatePath }, now)).toMatchObject([
    { state: 'problem', fix: 'set both RINGCAST_SIP_TLS_CERT and RINGCAST_SIP_TLS_KEY, or neither' },
  ]);
  await writeFile(b.certificatePath, 'nothing');
  expect(await checkTls({ ...NONE, authorities: b.certificatePath }, now)).toMatchObject([
    { name: 'sip authorities', state: 'problem', fix: expect.stringContaining('RINGCAST_SIP_TLS_CA') },
  ]);
});
