import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CommandLine, openCommandLine } from '../../test/support/command-line.ts';

const CALL = { id: '42-1', blastId: '42', destination: 'sip:a@h', state: 'finished', outcome: 'busy', attempts: [] };
const message = (attempt: number, at: string) => ({
  attempt,
  direction: 'sent',
  transport: 'udp',
  local: '192.0.2.1:5060',
  remote: '192.0.2.7:5060',
  at,
  text: 'BYE sip:a@h SIP/2.0\r\nCSeq: 2 BYE\r\n\r\n',
});
const TRACE = {
  items: [message(1, '2026-11-21T02:36:09Z'), message(2, '2026-11-21T02:37:09Z')],
  next: null,
  omitted: 3,
};

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
  for (const name of ['LC_ALL', 'LC_CTYPE']) vi.stubEnv(name, '');
  vi.stubEnv('LANG', 'C');
  cli.answers['GET /operator/v1/calls/42-1'] = { json: CALL };
  cli.answers['GET /operator/v1/calls/42-1/messages'] = { json: TRACE };
  cli.answers['GET /operator/v1/calls/42-1/messages.pcap'] = { body: 'PCAP' };
});
afterEach(() => cli.close());

const show = (...options: string[]) => cli.operator('calls', 'show', '42-1', ...options);

test('a call is shown with what its outcome means', async () => {
  const { out } = await show();
  expect(out).toMatch(/destination +sip:a@h/);
  expect(out).toMatch(/outcome +busy: the callee was busy/);
  expect(out).not.toContain('BYE');
  expect((await show('--json')).out).toBe(`${JSON.stringify(CALL)}\n`);
});

test('an attempt that was answered is shown with what was heard of it', async () => {
  const attempt = {
    ...{ number: 1, trunkId: null, sipCallId: 'c1', sipStatus: 200, sipReason: 'OK', codec: 'opus', clips: [] },
    ...{ dialledAt: null, ringingAt: null, answeredAt: '2026-11-21T02:36:09Z', endedAt: null },
    digits: [
      { digit: '5', mediaId: '101', ms: 1260 },
      { digit: '#', mediaId: null, ms: 0 },
    ],
    hungUpAt: { mediaId: '102', ms: 3400 },
    rtp: {
      ...{
        packetsSent: 500,
        packetsRefused: 2,
        peerRefusals: 4,
        packetsLost: 3,
        jitterMs: 1.25,
        roundTripMs: 20,
        mosEstimate: 4.2,
      },
      latenessMs: { p50: 1, p99: 5 },
    },
  };
  cli.answers['GET /operator/v1/calls/42-1'] = { json: { ...CALL, attempts: [attempt] } };
  const { out } = await show();
  expect(out).toMatch(/HUNG UP AT +KEYS +LOST +REFUSED +JITTER +ROUND TRIP +MOS \(ESTIMATE\) +LEFT LATE BY/);
  expect(out).toMatch(
    /1 +3\.4 s of 102 +5 at 1\.3 s of 101, # at 0\.0 s of the greeting +3 of 500 +2 here, 4 there +1\.3 ms +20 ms +4\.2 +1 ms, 99 %: 5 ms/,
  );
  const { digits, hungUpAt, rtp, ...old } = attempt;
  cli.answers['GET /operator/v1/calls/42-1'] = { json: { ...CALL, attempts: [old] } };
  expect((await show()).out).toMatch(/1( +-){8}\n/);
});

test('a call that is not there is an error', async () => {
  expect(await cli.operator('calls', 'show', '11')).toMatchObject({
    status: 1,
    err: 'ringcast: There is no such thing.\n',
  });
});

test('the messages of each attempt are drawn, and what is missing is told', async () => {
  const { out } = await show('--ladder');
  expect(out.match(/attempt [12], 2026-11-21/g)).toHaveLength(2);
  expect(out.match(/\+0 ms +\|-+ BYE \(2\) -+>\|/g)).toHaveLength(2);
  expect(out).toContain('3 more messages were not kept');
  vi.stubEnv('LANG', 'en_GB.UTF-8');
  expect((await show('--ladder')).out).toMatch(/│─+ BYE \(2\) ─+>│/);
  expect((await show('--ladder', '--json')).out).toBe(`${JSON.stringify(TRACE)}\n`);
});

test('a call without messages says why', async () => {
  cli.answers['GET /operator/v1/calls/42-1/messages'] = { json: { items: [], next: null, omitted: 0 } };
  expect((await show('--ladder')).out).toContain('no SIP messages are kept of this call');
});

test('the capture file is written', async () => {
  const file = join(cli.directory, 'call.pcap');
  expect(await show('--pcap', file)).toMatchObject({ status: 0, err: `4 octets written to ${file}\n` });
  expect(await readFile(file, 'utf8')).toBe('PCAP');
  expect((await show('--pcap', cli.directory)).err).toMatch(
    /^ringcast: cannot write .* \(EISDIR\): choose another file/,
  );
});
