import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, openCommandLine } from '../../test/support/command-line.ts';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli.close());

const WEBHOOK = {
  id: '101',
  url: 'https://hooks.example.org/',
  types: null,
  disabled: false,
  disabledReason: null,
  failingSince: null,
  previousSecretUntil: null,
  createdAt: '2026-11-21T02:36:09Z',
};

test('webhook add sends what was given and shows the secret', async () => {
  cli.answers['POST /api/v1/webhooks'] = { status: 201, json: { ...WEBHOOK, secret: 'whsec_x' } };
  const { status, out } = await cli.withKey('webhook', 'add', WEBHOOK.url, '--type', 'call.finished');
  expect(status).toBe(0);
  expect(cli.sent()).toEqual({ url: WEBHOOK.url, types: ['call.finished'] });
  expect(out).toContain('whsec_x');
});

test('webhook list and show tell how they do', async () => {
  const gone = { ...WEBHOOK, id: '102', disabled: true, disabledReason: 'gone' };
  cli.answers['GET /api/v1/webhooks'] = { json: { items: [gone, WEBHOOK], next: null } };
  const { out } = await cli.withKey('webhook', 'list');
  expect(out).toContain('disabled (gone)');
  expect(out).toContain('well');
  cli.answers['GET /api/v1/webhooks/101'] = { json: { ...WEBHOOK, failingSince: '2026-11-21T02:36:09Z' } };
  expect((await cli.withKey('webhook', 'show', '101')).out).toContain('failing since 2026-');
});

test('webhook remove and rotate', async () => {
  cli.answers['DELETE /api/v1/webhooks/101'] = { status: 204 };
  expect((await cli.withKey('webhook', 'remove', '101')).out).toBe('webhook 101 removed\n');
  cli.answers['POST /api/v1/webhooks/101/rotate'] = { json: { ...WEBHOOK, secret: 'whsec_y' } };
  expect((await cli.withKey('webhook', 'rotate', '101')).out).toContain('whsec_y');
});

test('webhook replay goes on until there is no more', async () => {
  const pages = [
    { queued: 10_000, next: '12000' },
    { queued: 5, next: null },
  ];
  cli.answers['POST /api/v1/webhooks/101/replay'] = () => ({ json: pages.shift() });
  const { status, out } = await cli.withKey('webhook', 'replay', '101', '--since', '2026-01-31');
  expect([status, out]).toEqual([0, '10005 events are posted again to webhook 101\n']);
  expect(cli.sent()).toEqual({ since: '2026-01-31', after: '12000' });
  expect((await cli.withKey('webhook', 'replay', '101')).status).toBe(2);
});

test('calls --follow tells what happens to calls of all applications, and nothing else', async () => {
  const blast = 'id: 40\ndata: {"id":"40","type":"blast.accepted","at":"2026-11-21T02:36:09Z","blastId":"b"}\n\n';
  const answers = [{ body: blast + STREAM }, { status: 401, json: {} }];
  cli.answers['GET /operator/v1/events'] = () => answers.shift() ?? { status: 401, json: {} };
  const { out } = await cli.operator('calls', '--follow');
  expect(out.trimEnd().split('\n')).toHaveLength(1);
  expect(out).toContain('call.finished     callId=b-1  outcome=busy');
}, 20_000);

const STREAM =
  'retry: 2000\n\nid: 41\nevent: call.finished\ndata: {"id":"41","type":"call.finished","at":"2026-11-21T02:36:09Z","callId":"b-1","outcome":"busy"}\n\n';

test('events prints all that are kept, and ends', async () => {
  cli.answers['GET /api/v1/events'] = { body: `${STREAM}: that is all until now\n\n` };
  const { status, out } = await cli.withKey('events');
  expect(status).toBe(0);
  expect(out).toMatch(/^2026-11-2\d .*41 {2}call\.finished {5}callId=b-1 {2}outcome=busy\n$/);
  expect(cli.server.seen.at(-1)?.headers['last-event-id']).toBe('0');
  expect((await cli.withKey('events', '--json')).out).toMatch(/^\{"id":"41".*\}\n$/);
  expect((await cli.withKey('events', '--after', 'x')).status).toBe(2);
});

test('events --follow begins at the present and goes on where the line broke', async () => {
  const answers = [{ body: STREAM }, { status: 401, json: { detail: 'The key was revoked.' } }];
  cli.answers['GET /api/v1/events'] = () => answers.shift() ?? { status: 500 };
  const running = cli.withKey('events', '--follow');
  const refused = await running;
  expect(refused.status).toBe(1);
  expect(cli.server.seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '41']);
}, 20_000);
