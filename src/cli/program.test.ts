import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, KEY, openCommandLine, runCaptured, TOKEN } from '../../test/support/command-line.ts';
import { Failure } from './failure.ts';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli.close());

const APPLICATION = {
  id: '1',
  name: 'warden',
  defaultGreetingId: null,
  retry: { maxAttempts: 1, delaySeconds: 60, on: [] },
  createdAt: '2026-11-21T02:36:09Z',
};

test.each([
  [['nonsense']],
  [[]],
  [['app']],
  [['app', 'create']],
  [['app', 'list', '--limit', '0']],
  [['app', 'list', '--limit', 'many']],
  [['app', 'list', '--nonsense']],
  [['app', 'show']],
  [['app', 'show', '1', '2']],
  [['network', 'import', '3']],
  [['trunk', 'create', '--host', 'h']],
  [['trunk', 'create', '--host', 'h', '--allow', '+', '--port', '70000']],
  [['blast']],
  [['blast', '101', '--app-key', KEY]],
  [['blast', '101', '--network', '3']],
  [['blast', 'show', '42', '--app-key', `${KEY}\u00fc`]],
  [['blast', 'show', '42', '--app-key', KEY, '--url', 'ftp://h']],
  [['media', 'audio', '101', '--app-key', KEY]],
  [['settings', 'set']],
  [['serve', '--nonsense', '1']],
  [['serve', '--data-dir']],
  [['phone', '--listen', 'localhost']],
  [['phone', '--behaviour', 'sing']],
  [['phone', '--behaviour', 'hang-up-after=soon']],
  [['phone', '--answer-after', '-1']],
])('%j is wrong usage: status 2, a sentence, nothing done', async (args) => {
  const { status, out, err } = await cli.run(...args);
  expect(status).toBe(2);
  expect(err).not.toBe('');
  expect(err).not.toMatch(/^\s+at /m);
  expect(err).not.toContain(KEY);
  expect(out).toBe('');
  expect(cli.launched).toEqual([]);
  expect(cli.server.seen).toEqual([]);
});

test('help that was asked for is status 0, on standard output', async () => {
  const { status, out, err } = await cli.run('blast', '--help');
  expect(status).toBe(0);
  expect(out).toContain('--idempotency-key');
  expect(err).toBe('');
});

test('when nothing answers: status 1, one sentence that names the fix, no key', async () => {
  await cli.server.close();
  const { status, out, err } = await cli.operator('app', 'list');
  expect(status).toBe(1);
  expect(err).toBe(
    `ringcast: nothing answers at ${cli.server.url}: start it with \`ringcast serve\`, or name another address.\n`,
  );
  expect(out).toBe('');
});

test('the operator token is read from the data directory', async () => {
  await writeFile(join(cli.directory, 'operator-token'), `${TOKEN}\n`);
  cli.answers['GET /operator/v1/applications'] = { json: { items: [APPLICATION], next: null } };
  const { status, out } = await cli.run('app', 'list', '--operator-url', cli.server.url, '--data-dir', cli.directory);
  expect(status).toBe(0);
  expect(cli.server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  expect(out).toBe(
    'ID  NAME    DEFAULT GREETING  RETRY        DIALLING  LEAD-IN/GAP/TAIL\n1   warden  -                 one attempt            -\n',
  );
});

test('without a token the sentence names the ways to give one', async () => {
  const { status, err } = await cli.run('app', 'list', '--operator-url', cli.server.url, '--data-dir', cli.directory);
  expect(status).toBe(1);
  expect(err).toMatch(/give --operator-token, RINGCAST_OPERATOR_TOKEN, or the server's --data-dir\.\n$/);
});

test('--json prints what the API answered', async () => {
  const json = { items: [APPLICATION], next: 'abc', more: { than: 'we know' } };
  cli.answers['GET /operator/v1/applications?limit=1&cursor=x%26y'] = { json };
  const { status, out, err } = await cli.operator('app', 'list', '--limit', '1', '--cursor', 'x&y', '--json');
  expect(status).toBe(0);
  expect(out).toBe(`${JSON.stringify(json)}\n`);
  expect(err).toBe('');
});

test('an empty list and a further page are told beside the table', async () => {
  cli.answers['GET /operator/v1/media'] = { json: { items: [], next: null } };
  expect(await cli.operator('media', 'list')).toEqual({ status: 0, out: '', err: 'none\n' });
  cli.answers['GET /operator/v1/applications'] = { json: { items: [APPLICATION], next: 'abc' } };
  expect((await cli.operator('app', 'list')).err).toBe('there are more: add --cursor abc\n');
});

test('names from the server never reach the terminal raw', async () => {
  cli.answers['GET /operator/v1/applications/1'] = { json: { ...APPLICATION, name: '\u001b]0;owned\u0007' } };
  expect((await cli.operator('app', 'show', '1')).out).toContain('\\u001b]0;owned\\u0007');
});

test('an id is one segment of the path, whatever it holds', async () => {
  await cli.operator('app', 'show', '../x?y');
  expect(cli.server.seen[0]?.path).toBe('/operator/v1/applications/..%2Fx%3Fy');
});

test('serve passes its flags on by their names, and no others', async () => {
  await cli.run('serve', '--data-dir', 'd', '--sip-listen', '127.0.0.1:0');
  await cli.run('serve');
  expect(cli.launched).toEqual([
    { what: 'serve', with: { '--data-dir': 'd', '--sip-listen': '127.0.0.1:0' } },
    { what: 'serve', with: {} },
  ]);
});

test('phone takes what the interface names', async () => {
  await cli.run('phone');
  await cli.run('phone', '--listen', '127.0.0.1:0', '--record', 'r', '--answer-after', '0.5', '--behaviour', 'busy');
  await cli.run('phone', '--behaviour', 'hang-up-after=2.5');
  const usual = {
    listen: { address: '127.0.0.1', port: 5070 },
    recordDirectory: null,
    answerAfterMs: 1000,
    behaviour: 'answer',
    transport: 'udp',
    certificate: null,
  };
  expect(cli.launched.map((one) => one.with)).toEqual([
    usual,
    {
      ...usual,
      listen: { address: '127.0.0.1', port: 0 },
      recordDirectory: 'r',
      answerAfterMs: 500,
      behaviour: 'busy',
    },
    { ...usual, behaviour: { hangUpAfterMs: 2500 } },
  ]);
});

test('phone takes another transport, IPv6, and a certificate for TLS', async () => {
  await cli.run('phone', '--listen', '[::1]:5070', '--transport', 'tcp');
  await cli.run('phone', '--transport', 'tls', '--tls-cert', 'c.pem', '--tls-key', 'k.pem');
  expect(cli.launched.map((one) => one.with)).toMatchObject([
    { listen: { address: '::1', port: 5070 }, transport: 'tcp', certificate: null },
    { transport: 'tls', certificate: { certificatePath: 'c.pem', keyPath: 'k.pem' } },
  ]);
  const refused = await cli.run('phone', '--transport', 'tls', '--tls-cert', 'c.pem');
  expect([refused.status, refused.err]).toEqual([2, expect.stringContaining('--tls-key')]);
});

test('demo passes on its files', async () => {
  await cli.run('demo', 'a.wav', 'b.mp3', '--stay', '--data-dir', cli.directory);
  expect(cli.launched).toEqual([
    { what: 'demo', with: { files: ['a.wav', 'b.mp3'], stay: true, dataDirectory: cli.directory } },
  ]);
});

test('a failure of what was launched is one sentence and its status; a surprise is status 1', async () => {
  const ends = (error: Error) => runCaptured(['demo'], { ...cli.launch, demo: () => Promise.reject(error) });
  expect(await ends(new Failure('clip 1 of 2 differs.'))).toMatchObject({
    status: 1,
    err: 'ringcast: clip 1 of 2 differs.\n',
  });
  expect(await ends(new Failure('no such file.', 2))).toMatchObject({ status: 2, err: 'ringcast: no such file.\n' });
  expect(await ends(new TypeError('oops'))).toMatchObject({ status: 1, err: 'ringcast: oops\n' });
});

test('backup copies the data directory that was named', async () => {
  const { status, out } = await cli.run('backup', '/mnt/monday', '--data-dir', '/var/lib/ringcast');
  expect([status, out]).toEqual([0, 'backed up into /mnt/monday: to restore, start with it as data directory\n']);
  const copied = { target: '/mnt/monday', dataDirectory: '/var/lib/ringcast' };
  expect(cli.launched).toEqual([{ what: 'backup', with: copied }]);
});
