import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, KEY, openCommandLine } from '../../test/support/command-line.ts';

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

test('app create sends what was given and shows the key', async () => {
  cli.answers['POST /operator/v1/applications'] = {
    status: 201,
    json: { ...APPLICATION, appKey: { id: 'k1', secret: KEY } },
  };
  const { status, out } = await cli.operator('app', 'create', '--name', 'warden', '--retry-attempts', '3');
  expect(status).toBe(0);
  expect(cli.sent()).toEqual({
    name: 'warden',
    retry: { maxAttempts: 3, delaySeconds: 60, on: ['busy', 'no_answer', 'unreachable'] },
  });
  expect(out).toContain(KEY);
});

test('app update keeps what was not given', async () => {
  cli.answers['GET /operator/v1/applications/1'] = { json: APPLICATION };
  cli.answers['PUT /operator/v1/applications/1'] = { json: APPLICATION };
  await cli.operator('app', 'update', '1', '--default-greeting', '7');
  expect(cli.sent()).toEqual({ ...APPLICATION, defaultGreetingId: '7' });
  await cli.operator('app', 'update', '1', '--default-greeting', 'none', '--name', 'guard');
  expect(cli.sent()).toEqual({ ...APPLICATION, defaultGreetingId: null, name: 'guard' });
});

test('media create sends what is done to the sound only where it was said', async () => {
  cli.answers['POST /operator/v1/media'] = { status: 201, json: { id: '101', name: '', clip: null } };
  await cli.operator('media', 'create', '--name', 'News');
  expect(cli.sent()).toEqual({ name: 'News', applicationIds: [] });
  await cli.operator('media', 'create', '--no-level', '--telephone-band');
  expect(cli.sent()).toEqual({ applicationIds: [], processing: { level: false, trim: true, telephoneBand: true } });
});

test('app update says how its calls are dialled', async () => {
  cli.answers['GET /operator/v1/applications/1'] = { json: APPLICATION };
  cli.answers['PUT /operator/v1/applications/1'] = { json: { ...APPLICATION, priority: 3, dialBySeconds: 600 } };
  const dialling = ['--priority', '3', '--max-concurrent', '20', '--calls-per-second', 'none', '--dial-by', '600'];
  const { out } = await cli.operator('app', 'update', '1', ...dialling);
  const sent = { priority: 3, maxConcurrentCalls: 20, callsPerSecond: null, dialBySeconds: 600 };
  expect(cli.sent()).toEqual({ ...APPLICATION, ...sent });
  expect(out).toContain('priority 3, within 600 s');
});

test('app update says how much silence is around the clips', async () => {
  cli.answers['GET /operator/v1/applications/1'] = { json: APPLICATION };
  const silences = { leadInMs: 1000, gapMs: 0, tailMs: 200 };
  cli.answers['PUT /operator/v1/applications/1'] = { json: { ...APPLICATION, ...silences } };
  const { out } = await cli.operator('app', 'update', '1', '--lead-in', '1000', '--gap', '0', '--tail', '200');
  expect(cli.sent()).toEqual({ ...APPLICATION, ...silences });
  expect(out).toContain('1000/0/200 ms');
});

test('network import sends the file and tells what was refused', async () => {
  const refused = [{ line: 2, value: '555', reason: 'is neither an E.164 number nor a SIP URI' }];
  const report = { accepted: 1, duplicates: 0, refusedCount: 3, refused };
  cli.answers['POST /operator/v1/networks/3/destinations'] = { json: report };
  const file = join(cli.directory, 'numbers.csv');
  await writeFile(file, '+15550000001\n555\n');
  const { status, out, err } = await cli.operator('network', 'import', '3', file);
  expect([status, out]).toEqual([0, '1 destinations added, 0 duplicates, 3 refused\n']);
  expect(err).toBe('line 2: 555 is neither an E.164 number nor a SIP URI\nand 2 more\n');
  expect((await cli.operator('network', 'import', '3', join(cli.directory, 'none.csv'))).status).toBe(1);
});

test('app keys are made and revoked', async () => {
  cli.answers['POST /operator/v1/applications/1/app-keys'] = { status: 201, json: { id: 'k2', secret: 'shown-once' } };
  cli.answers['DELETE /operator/v1/applications/1/app-keys/k2'] = { status: 204 };
  expect((await cli.operator('app', 'key', 'create', '1')).out).toMatch(/k2[\s\S]*shown-once/);
  expect((await cli.operator('app', 'key', 'revoke', '1', 'k2')).out).toBe('key k2 of application 1 revoked\n');
});

test('a network takes several destinations, and is associated', async () => {
  const network = { id: '3', name: '', destinations: [], trunkIds: [], callerId: null, applicationIds: [] };
  cli.answers['POST /operator/v1/networks'] = { status: 201, json: network };
  cli.answers['PUT /operator/v1/networks/3/applications/1'] = { json: network };
  cli.answers['DELETE /operator/v1/networks/3/applications/1'] = { status: 204 };
  await cli.operator('network', 'create', '--destination', '+4930123', '--destination', 'sip:a@h', '--trunk', 'de');
  expect(cli.sent()).toEqual({ destinations: ['+4930123', 'sip:a@h'], trunkIds: ['de'] });
  expect((await cli.operator('network', 'associate', '3', '1')).out).toBe('network 3 associated with application 1\n');
  expect((await cli.operator('network', 'dissociate', '3', '1')).out).toBe(
    'network 3 dissociated from application 1\n',
  );
});

test("a trunk's password is never lost by an update that does not name it", async () => {
  cli.answers['GET /operator/v1/trunks/de'] = { json: TRUNK };
  cli.answers['PUT /operator/v1/trunks/de'] = { json: TRUNK };
  await cli.operator('trunk', 'update', 'de', '--host', 'h');
  expect(cli.sent()).toEqual({ ...TRUNK, host: 'h' });
  await cli.operator('trunk', 'update', 'de', '--host', 'h', '--password', 'p');
  expect(cli.sent()).toEqual({ ...TRUNK, host: 'h', password: 'p' });
  await cli.operator('trunk', 'update', 'de', '--no-password');
  expect(cli.sent()).toEqual({ ...TRUNK, password: null });
});

test('the list of trunks tells what is wrong with one', async () => {
  const stateReason = 'The trunk refused the user name or password: it is left alone for 40 s.';
  cli.answers['GET /operator/v1/trunks'] = {
    json: { items: [{ ...TRUNK, state: 'down', stateReason }], next: null },
  };
  expect((await cli.operator('trunk', 'list')).out).toContain(`down: ${stateReason}`);
});

test('a trunk shows how its registration stands, and what is wrong although it is up', async () => {
  const registration = { state: 'failed', expiresAt: '2026-01-01T00:00:00.000Z', reason: '403 Forbidden' };
  cli.answers['GET /operator/v1/trunks/de'] = {
    json: { ...TRUNK, port: null, state: 'up', degraded: true, stateReason: 'It is not registered.', registration },
  };
  const { out } = await cli.operator('trunk', 'show', 'de');
  expect(out).toContain('up, degraded: It is not registered.');
  expect(out).toContain('failed until 2026-01-01T00:00:00.000Z: 403 Forbidden');
  expect(out).not.toContain('null');
});

test('an update turns registration on and off', async () => {
  cli.answers['GET /operator/v1/trunks/de'] = { json: TRUNK };
  cli.answers['PUT /operator/v1/trunks/de'] = { json: TRUNK };
  for (const [option, register] of [
    ['--register', true],
    ['--no-register', false],
  ] as const) {
    await cli.operator('trunk', 'update', 'de', option);
    expect(cli.sent()).toEqual({ ...TRUNK, register });
  }
});

test('a trunk is made with what was given', async () => {
  cli.answers['POST /operator/v1/trunks'] = { status: 201, json: TRUNK };
  const { out } = await cli.operator(
    'trunk',
    'create',
    '--host',
    '192.0.2.7',
    '--allow',
    '+49',
    '--calls-per-second',
    '5',
  );
  expect(cli.sent()).toEqual({ host: '192.0.2.7', allowedPrefixes: ['+49'], callsPerSecond: 5 });
  expect(out).toMatch(/address +192\.0\.2\.7:5060\/udp/);
});

test('media upload sends the octets of the file', async () => {
  cli.answers['PUT /operator/v1/media/101/audio'] = { json: {} };
  const file = join(cli.directory, 'clip.wav');
  await writeFile(file, 'RIFF-octets');
  expect((await cli.operator('media', 'upload', '101', file)).status).toBe(0);
  expect(cli.server.seen[0]?.body).toBe('RIFF-octets');
});

test.each([['nothing.wav'], ['.']])('media upload of %j names the path', async (name) => {
  const { status, err } = await cli.operator('media', 'upload', '101', join(cli.directory, name));
  expect(status).toBe(1);
  expect(err).toMatch(/is no file that can be read: is the path right\?\n$/);
  expect(cli.server.seen).toEqual([]);
});

test('media audio writes the file', async () => {
  cli.answers['GET /api/v1/media/101/audio'] = { body: 'WAV' };
  const file = join(cli.directory, 'heard.wav');
  expect((await cli.withKey('media', 'audio', '101', '-o', file)).status).toBe(0);
  expect(await readFile(file, 'utf8')).toBe('WAV');
});

test('media grant prints the curl line that uploads, and sends the key in the form', async () => {
  const UploadResponse = { message: '', status: 201, grantId: '9'.repeat(20), uri: '/api/rest/media/101/123' };
  cli.answers['POST /api/rest/media/101'] = { status: 201, json: { UploadResponse } };
  const { out } = await cli.withKey('media', 'grant', '101');
  expect(out).toContain(`curl -sS -T FILE ${cli.server.url}/api/rest/media/101/123\n`);
  expect(cli.server.seen[0]?.body).toBe(`action=upload_grant&appkey=${KEY}`);
});

test('settings are shown and set', async () => {
  cli.answers['GET /operator/v1/settings'] = { json: { defaultGreetingId: null } };
  cli.answers['PUT /operator/v1/settings'] = { json: { defaultGreetingId: '7' } };
  expect((await cli.operator('settings', 'show')).out).toContain('the built-in one');
  expect((await cli.operator('settings', 'set', '--default-greeting', '7')).out).toBe('default greeting  7\n');
  expect(cli.sent()).toEqual({ defaultGreetingId: '7' });
});
