import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, openCommandLine } from '../../test/support/command-line.ts';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli.close());

const GRANT = {
  id: '7',
  mediaId: '101',
  applicationId: '1',
  appKeyId: 'k1',
  state: 'spent',
  issuedAt: '2026-11-21T02:36:09Z',
  expiresAt: '2026-11-22T02:36:09Z',
  claimedAt: '2026-11-21T03:00:00Z',
  remoteAddress: '192.0.2.9',
  spentAt: '2026-11-21T03:00:02Z',
  revokedAt: null,
  failedTries: 2,
  clip: { id: 'c1', sha256: 'ab'.repeat(32), bytes: 1234 },
};

test('grant list asks for one media and shows who and from where', async () => {
  cli.answers['GET /operator/v1/grants?limit=5&mediaId=101'] = { json: { items: [GRANT], next: null } };
  const { status, out } = await cli.operator('grant', 'list', '--media', '101', '--limit', '5');
  expect([status, out]).toEqual([0, expect.stringMatching(/^ID .*\n7 +101 +1 +spent .* 192\.0\.2\.9 +2\n$/)]);
});

test('grant show tells the digest, grant revoke the state', async () => {
  cli.answers['GET /operator/v1/grants/7'] = { json: GRANT };
  const shown = await cli.operator('grant', 'show', '7');
  expect(shown.out).toMatch(/sha-256 +(ab){32}\n/);
  expect(shown.out).toMatch(/octets +1234\n/);
  cli.answers['POST /operator/v1/grants/8/revoke'] = { json: { ...GRANT, id: '8', state: 'revoked', clip: null } };
  const revoked = await cli.operator('grant', 'revoke', '8');
  expect([revoked.status, revoked.out]).toEqual([0, expect.stringMatching(/state +revoked\n/)]);
});
