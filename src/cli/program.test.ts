import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts';
import { Failure } from './failure.ts';
import type { DemoOptions, Launch, PhoneOptions } from './launch.ts';
import { runProgram } from './program.ts';

const KEY = 'app-key-nobody-may-see';
const TOKEN = 'operator-token-nobody-may-see';

let directory: string;
let server: ScriptedServer;
/** What the server answers, by method and path; anything else is 404. */
let answers: Record<string, { status?: number; json?: unknown; headers?: Record<string, string>; body?: string }>;
let launched: { what: string; with: unknown }[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-cli-'));
  answers = {};
  launched = [];
  server = await startScriptedServer(
    ({ method, path }) => answers[`${method} ${path}`] ?? { status: 404, json: { detail: 'There is no such thing.' } },
  );
});
afterEach(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

const LAUNCH: Launch = {
  settings: [
    { variable: 'RINGCAST_DATA_DIR', flag: '--data-dir', description: 'folder', default: './data' },
    { variable: 'RINGCAST_SIP_LISTEN', flag: '--sip-listen', description: 'SIP', default: '0.0.0.0:5060' },
  ],
  serve: async (flags) => void launched.push({ what: 'serve', with: flags }),
  phone: async (options: PhoneOptions) => void launched.push({ what: 'phone', with: options }),
  demo: async (options: DemoOptions) => void launched.push({ what: 'demo', with: options }),
  callItself: async () => 'heard',
};

const run = async (...args: string[]) => {
  const written = { out: '', err: '' };
  const status = await runProgram(args, LAUNCH, {
    out: { write: (text) => (written.out += text) },
    err: { write: (text) => (written.err += text) },
  });
  return { status, ...written };
};

const operator = (...args: string[]) => run(...args, '--operator-url', server.url, '--operator-token', TOKEN);
const withKey = (...args: string[]) => run(...args, '--url', server.url, '--app-key', KEY);
const sent = (at = -1): unknown => JSON.parse(server.seen.at(at)?.body ?? '');

const APPLICATION = {
  id: '1',
  name: 'warden',
  defaultGreetingId: null,
  retry: { maxAttempts: 1, delaySeconds: 60, on: [] },
  createdAt: '2026-11-21T02:36:09Z',
};
const TRUNK = {
  id: 'de',
  host: '192.0.2.7',
  port: 5060,
  transport: 'udp',
  username: 'u',
  hasPassword: true,
  callerId: null,
  allowedPrefixes: ['+49'],
  maxConcurrentCalls: null,
  callsPerSecond: 5,
  codecs: ['PCMU', 'PCMA'],
  healthCheck: 'options',
  state: 'up',
};
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
  [['network', 'create', '--name', 'x']],
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
  const { status, out, err } = await run(...args);
  expect(status).toBe(2);
  expect(err).not.toBe('');
  expect(err).not.toMatch(/^\s+at /m);
  expect(err).not.toContain(KEY);
  expect(out).toBe('');
  expect(launched).toEqual([]);
  expect(server.seen).toEqual([]);
});

test('help that was asked for is status 0, on standard output', async () => {
  const { status, out, err } = await run('blast', '--help');
  expect(status).toBe(0);
  expect(out).toContain('--idempotency-key');
  expect(err).toBe('');
});

test('when nothing answers: status 1, one sentence that names the fix, no key', async () => {
  await server.close();
  const { status, out, err } = await operator('app', 'list');
  expect(status).toBe(1);
  expect(err).toBe(
    `ringcast: nothing answers at ${server.url}: start it with \`ringcast serve\`, or name another address.\n`,
  );
  expect(out).toBe('');
});

test('the operator token is read from the data directory', async () => {
  await writeFile(join(directory, 'operator-token'), `${TOKEN}\n`);
  answers['GET /operator/v1/applications'] = { json: { items: [APPLICATION], next: null } };
  const { status, out } = await run('app', 'list', '--operator-url', server.url, '--data-dir', directory);
  expect(status).toBe(0);
  expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  expect(out).toBe('ID  NAME    DEFAULT GREETING  RETRY\n1   warden  -                 one attempt\n');
});

test('without a token the sentence names the ways to give one', async () => {
  const { status, err } = await run('app', 'list', '--operator-url', server.url, '--data-dir', directory);
  expect(status).toBe(1);
  expect(err).toMatch(/give --operator-token, RINGCAST_OPERATOR_TOKEN, or the server's --data-dir\.\n$/);
});

test('--json prints what the API answered', async () => {
  const json = { items: [APPLICATION], next: 'abc', more: { than: 'we know' } };
  answers['GET /operator/v1/applications?limit=1&cursor=x%26y'] = { json };
  const { status, out, err } = await operator('app', 'list', '--limit', '1', '--cursor', 'x&y', '--json');
  expect(status).toBe(0);
  expect(out).toBe(`${JSON.stringify(json)}\n`);
  expect(err).toBe('');
});

test('an empty list and a further page are told beside the table', async () => {
  answers['GET /operator/v1/media'] = { json: { items: [], next: null } };
  expect(await operator('media', 'list')).toEqual({ status: 0, out: '', err: 'none\n' });
  answers['GET /operator/v1/applications'] = { json: { items: [APPLICATION], next: 'abc' } };
  expect((await operator('app', 'list')).err).toBe('there are more: add --cursor abc\n');
});

test('names from the server never reach the terminal raw', async () => {
  answers['GET /operator/v1/applications/1'] = { json: { ...APPLICATION, name: '\u001b]0;owned\u0007' } };
  expect((await operator('app', 'show', '1')).out).toContain('\\u001b]0;owned\\u0007');
});

test('an id is one segment of the path, whatever it holds', async () => {
  await operator('app', 'show', '../x?y');
  expect(server.seen[0]?.path).toBe('/operator/v1/applications/..%2Fx%3Fy');
});

test('app create sends what was given and shows the key', async () => {
  answers['POST /operator/v1/applications'] = {
    status: 201,
    json: { ...APPLICATION, appKey: { id: 'k1', secret: KEY } },
  };
  const { status, out } = await operator('app', 'create', '--name', 'warden', '--retry-attempts', '3');
  expect(status).toBe(0);
  expect(sent()).toEqual({
    name: 'warden',
    retry: { maxAttempts: 3, delaySeconds: 60, on: ['busy', 'no_answer', 'unreachable'] },
  });
  expect(out).toContain(KEY);
});

test('app update keeps what was not given', async () => {
  answers['GET /operator/v1/applications/1'] = { json: APPLICATION };
  answers['PUT /operator/v1/applications/1'] = { json: APPLICATION };
  await operator('app', 'update', '1', '--default-greeting', '7');
  expect(sent()).toEqual({ ...APPLICATION, defaultGreetingId: '7' });
  await operator('app', 'update', '1', '--default-greeting', 'none', '--name', 'guard');
  expect(sent()).toEqual({ ...APPLICATION, defaultGreetingId: null, name: 'guard' });
});

test('app keys are made and revoked', async () => {
  answers['POST /operator/v1/applications/1/app-keys'] = { status: 201, json: { id: 'k2', secret: 'shown-once' } };
  answers['DELETE /operator/v1/applications/1/app-keys/k2'] = { status: 204 };
  expect((await operator('app', 'key', 'create', '1')).out).toMatch(/k2[\s\S]*shown-once/);
  expect((await operator('app', 'key', 'revoke', '1', 'k2')).out).toBe('key k2 of application 1 revoked\n');
});

test('a network takes several destinations, and is associated', async () => {
  const network = { id: '3', name: '', destinations: [], trunkIds: [], callerId: null, applicationIds: [] };
  answers['POST /operator/v1/networks'] = { status: 201, json: network };
  answers['PUT /operator/v1/networks/3/applications/1'] = { json: network };
  answers['DELETE /operator/v1/networks/3/applications/1'] = { status: 204 };
  await operator('network', 'create', '--destination', '+4930123', '--destination', 'sip:a@h', '--trunk', 'de');
  expect(sent()).toEqual({ destinations: ['+4930123', 'sip:a@h'], trunkIds: ['de'] });
  expect((await operator('network', 'associate', '3', '1')).out).toBe('network 3 associated with application 1\n');
  expect((await operator('network', 'dissociate', '3', '1')).out).toBe('network 3 dissociated from application 1\n');
});

test("a trunk's password is never lost by an update that does not name it", async () => {
  answers['GET /operator/v1/trunks/de'] = { json: TRUNK };
  answers['PUT /operator/v1/trunks/de'] = { json: TRUNK };
  const refused = await operator('trunk', 'update', 'de', '--host', 'h');
  expect(refused.status).toBe(2);
  expect(refused.err).toMatch(/--password, or --no-password/);
  await operator('trunk', 'update', 'de', '--host', 'h', '--password', 'p');
  expect(sent()).toEqual({ ...TRUNK, host: 'h', password: 'p' });
  await operator('trunk', 'update', 'de', '--no-password');
  expect(sent()).toEqual({ ...TRUNK, password: null });
});

test('a trunk is made with what was given', async () => {
  answers['POST /operator/v1/trunks'] = { status: 201, json: TRUNK };
  const { out } = await operator('trunk', 'create', '--host', '192.0.2.7', '--allow', '+49', '--calls-per-second', '5');
  expect(sent()).toEqual({ transport: 'udp', host: '192.0.2.7', allowedPrefixes: ['+49'], callsPerSecond: 5 });
  expect(out).toMatch(/address +192\.0\.2\.7:5060\/udp/);
});

test('media upload sends the octets of the file', async () => {
  answers['PUT /operator/v1/media/101/audio'] = { json: {} };
  const file = join(directory, 'clip.wav');
  await writeFile(file, 'RIFF-octets');
  expect((await operator('media', 'upload', '101', file)).status).toBe(0);
  expect(server.seen[0]?.body).toBe('RIFF-octets');
});

test.each([['nothing.wav'], ['.']])('media upload of %j names the path', async (name) => {
  const { status, err } = await operator('media', 'upload', '101', join(directory, name));
  expect(status).toBe(1);
  expect(err).toMatch(/is no file that can be read: is the path right\?\n$/);
  expect(server.seen).toEqual([]);
});

test('media audio writes the file', async () => {
  answers['GET /api/v1/media/101/audio'] = { body: 'WAV' };
  const file = join(directory, 'heard.wav');
  expect((await withKey('media', 'audio', '101', '-o', file)).status).toBe(0);
  expect(await readFile(file, 'utf8')).toBe('WAV');
});

test('media grant prints the curl line that uploads, and sends the key in the form', async () => {
  const UploadResponse = { message: '', status: 201, grantId: '9'.repeat(20), uri: '/api/rest/media/101/123' };
  answers['POST /api/rest/media/101'] = { status: 201, json: { UploadResponse } };
  const { out } = await withKey('media', 'grant', '101');
  expect(out).toContain(`curl -sS -T FILE ${server.url}/api/rest/media/101/123\n`);
  expect(server.seen[0]?.body).toBe(`action=upload_grant&appkey=${KEY}`);
});

const ACCEPTED = {
  status: 202,
  headers: { location: '/prefix/api/v1/blasts/42' },
  json: { MediaResponse: { message: '101-102', status: 202, downloadUrl: '', fileSize: 0, mediaId: '', uri: '' } },
};

test('blast goes through the seed interface', async () => {
  answers['POST /api/rest/media/101-102'] = ACCEPTED;
  const { status, out } = await withKey(
    ...['blast', '101-102', '--network', '3', '--greeting', '7', '--idempotency-key', 'once'],
  );
  expect(status).toBe(0);
  expect(out).toBe('blast 42 accepted\n');
  expect(server.seen[0]?.body).toBe(`action=blast&networkid=3&appkey=${KEY}&greetingid=7`);
  expect(server.seen[0]?.headers['idempotency-key']).toBe('once');
});

test('blast --watch ends with 0 when all clips were played, and with 1 when not', async () => {
  answers['POST /api/rest/media/101'] = ACCEPTED;
  answers['GET /api/v1/blasts/42'] = { json: BLAST };
  const heard = await withKey('blast', '101', '--network', '3', '--watch');
  expect(heard).toMatchObject({ status: 0, out: 'blast 42 accepted\n  done, all clips played\n' });
  const busy = { ...BLAST, calls: [{ ...BLAST.calls[0], outcome: 'busy' }] };
  answers['GET /api/v1/blasts/42'] = { json: busy };
  const unheard = await withKey('blast', '101', '--network', '3', '--watch', '--json');
  expect(unheard).toMatchObject({ status: 1, out: `${JSON.stringify(busy)}\n` });
});

test('blast --watch reads again until the blast has finished', async () => {
  answers['POST /api/rest/media/101'] = ACCEPTED;
  await server.close();
  let reads = 0;
  server = await startScriptedServer(({ method }) => {
    if (method === 'POST') return ACCEPTED;
    reads += 1;
    return { json: reads < 3 ? { ...BLAST, state: 'active' } : BLAST };
  });
  expect((await withKey('blast', '101', '--network', '3', '--watch')).status).toBe(0);
  expect(reads).toBe(3);
});

test('blast show, list and cancel take their own options', async () => {
  answers['GET /api/v1/blasts/42'] = { json: BLAST };
  answers['GET /api/v1/blasts?limit=5'] = { json: { items: [BLAST], next: null } };
  answers['POST /api/v1/blasts/42/cancel'] = { json: BLAST };
  expect((await withKey('blast', 'show', '42')).out).toMatch(/sip:a@h.*done, all clips played/);
  expect((await withKey('blast', 'list', '--limit', '5')).out).toMatch(/42 .* finished .*101-102 +1 completed/);
  const before = await run('blast', '--url', server.url, '--app-key', KEY, 'show', '42');
  expect(before.out).toMatch(/sip:a@h/);
  expect((await withKey('blast', 'cancel', '42', '--json')).out).toBe(`${JSON.stringify(BLAST)}\n`);
});

test('calls lists, and finds one on a later page', async () => {
  const [call] = BLAST.calls;
  answers['GET /operator/v1/calls'] = { json: { items: [call], next: null } };
  answers['GET /operator/v1/calls?limit=100'] = { json: { items: [{ ...call, id: '10' }], next: 'p2' } };
  answers['GET /operator/v1/calls?limit=100&cursor=p2'] = { json: { items: [call], next: null } };
  expect((await operator('calls')).out).toMatch(/9 +42 +sip:a@h/);
  expect((await operator('calls', 'show', '9', '--json')).out).toBe(`${JSON.stringify(call)}\n`);
  expect((await operator('calls', 'show', '11')).err).toBe(
    'ringcast: there is no call 11: `ringcast calls` lists them.\n',
  );
});

test('settings are shown and set', async () => {
  answers['GET /operator/v1/settings'] = { json: { defaultGreetingId: null } };
  answers['PUT /operator/v1/settings'] = { json: { defaultGreetingId: '7' } };
  expect((await operator('settings', 'show')).out).toContain('the built-in one');
  expect((await operator('settings', 'set', '--default-greeting', '7')).out).toBe('default greeting  7\n');
  expect(sent()).toEqual({ defaultGreetingId: '7' });
});

test('serve passes its flags on by their names, and no others', async () => {
  await run('serve', '--data-dir', 'd', '--sip-listen', '127.0.0.1:0');
  await run('serve');
  expect(launched).toEqual([
    { what: 'serve', with: { '--data-dir': 'd', '--sip-listen': '127.0.0.1:0' } },
    { what: 'serve', with: {} },
  ]);
});

test('phone takes what the interface names', async () => {
  await run('phone');
  await run('phone', '--listen', '127.0.0.1:0', '--record', 'r', '--answer-after', '0.5', '--behaviour', 'busy');
  await run('phone', '--behaviour', 'hang-up-after=2.5');
  const usual = {
    listen: { address: '127.0.0.1', port: 5070 },
    recordDirectory: null,
    answerAfterMs: 1000,
    behaviour: 'answer',
  };
  expect(launched.map((one) => one.with)).toEqual([
    usual,
    { listen: { address: '127.0.0.1', port: 0 }, recordDirectory: 'r', answerAfterMs: 500, behaviour: 'busy' },
    { ...usual, behaviour: { hangUpAfterMs: 2500 } },
  ]);
});

test('demo passes on its files', async () => {
  await run('demo', 'a.wav', 'b.mp3', '--stay', '--data-dir', directory);
  expect(launched).toEqual([
    { what: 'demo', with: { files: ['a.wav', 'b.mp3'], stay: true, dataDirectory: directory } },
  ]);
});

test('a failure of what was launched is one sentence and its status; a surprise is status 1', async () => {
  const failing = (error: Error): Launch => ({ ...LAUNCH, demo: () => Promise.reject(error) });
  let err = '';
  const output = { out: { write: () => undefined }, err: { write: (text: string) => (err += text) } };
  expect(await runProgram(['demo'], failing(new Failure('clip 1 of 2 differs.')), output)).toBe(1);
  expect(await runProgram(['demo'], failing(new Failure('no such file.', 2)), output)).toBe(2);
  expect(await runProgram(['demo'], failing(new TypeError('oops')), output)).toBe(1);
  expect(err).toBe('ringcast: clip 1 of 2 differs.\nringcast: no such file.\nringcast: oops\n');
});
