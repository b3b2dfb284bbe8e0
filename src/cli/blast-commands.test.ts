import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, KEY, openCommandLine } from '../../test/support/command-line.ts';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli.close());

const BLAST = {
  id: '42',
  applicationId: '1',
  networkId: '3',
  mediaIds: ['101', '102'],
  greetingId: null,
  acceptedAt: '2026-11-21T02:36:09Z',
  state: 'finished',
  calls: [{ id: '9', blastId: '42', destination: 'sip:a@h', state: 'finished', outcome: 'completed', attempts: [] }],
};

const ACCEPTED = {
  status: 202,
  headers: { location: '/prefix/api/v1/blasts/42' },
  json: { MediaResponse: { message: '101-102', status: 202, downloadUrl: '', fileSize: 0, mediaId: '', uri: '' } },
};

test('blast goes through the seed interface', async () => {
  cli.answers['POST /api/rest/media/101-102'] = ACCEPTED;
  const { status, out } = await cli.withKey(
    ...['blast', '101-102', '--network', '3', '--greeting', '7', '--idempotency-key', 'once'],
  );
  expect(status).toBe(0);
  expect(out).toBe('blast 42 accepted\n');
  expect(cli.server.seen[0]?.body).toBe(`action=blast&networkid=3&appkey=${KEY}&greetingid=7`);
  expect(cli.server.seen[0]?.headers['idempotency-key']).toBe('once');
});

test('blast --watch ends with 0 when all clips were played, and with 1 when not', async () => {
  cli.answers['POST /api/rest/media/101'] = ACCEPTED;
  cli.answers['GET /api/v1/blasts/42'] = { json: BLAST };
  const heard = await cli.withKey('blast', '101', '--network', '3', '--watch');
  expect(heard).toMatchObject({ status: 0, out: 'blast 42 accepted\n  done, all clips played\n' });
  const busy = { ...BLAST, calls: [{ ...BLAST.calls[0], outcome: 'busy' }] };
  cli.answers['GET /api/v1/blasts/42'] = { json: busy };
  const unheard = await cli.withKey('blast', '101', '--network', '3', '--watch', '--json');
  expect(unheard).toMatchObject({ status: 1, out: `${JSON.stringify(busy)}\n` });
});

test('blast --watch reads again until the blast has finished', async () => {
  cli.answers['POST /api/rest/media/101'] = ACCEPTED;
  let reads = 0;
  cli.answers['GET /api/v1/blasts/42'] = () => {
    reads += 1;
    return { json: reads < 3 ? { ...BLAST, state: 'active' } : BLAST };
  };
  expect((await cli.withKey('blast', '101', '--network', '3', '--watch')).status).toBe(0);
  expect(reads).toBe(3);
});

test('blast show, list and cancel take their own options', async () => {
  cli.answers['GET /api/v1/blasts/42'] = { json: BLAST };
  cli.answers['GET /api/v1/blasts?limit=5'] = { json: { items: [BLAST], next: null } };
  cli.answers['POST /api/v1/blasts/42/cancel'] = { json: BLAST };
  expect((await cli.withKey('blast', 'show', '42')).out).toMatch(/sip:a@h.*done, all clips played/);
  expect((await cli.withKey('blast', 'list', '--limit', '5')).out).toMatch(/42 .* finished .*101-102 +1 completed/);
  const before = await cli.run('blast', '--url', cli.server.url, '--app-key', KEY, 'show', '42');
  expect(before.out).toMatch(/sip:a@h/);
  expect((await cli.withKey('blast', 'cancel', '42', '--json')).out).toBe(`${JSON.stringify(BLAST)}\n`);
});

test('calls lists', async () => {
  cli.answers['GET /operator/v1/calls'] = { json: { items: BLAST.calls, next: null } };
  expect((await cli.operator('calls')).out).toMatch(/9 +42 +sip:a@h/);
});
