import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { TracedMessage } from '../../src/domain/sip-trace.ts';
import { maskSecrets } from '../../src/trace/mask-secrets.ts';
import { toPcap } from '../../src/trace/pcap.ts';
import { describeWithPeer } from './peer-program.ts';

const run = promisify(execFile);

const SDP = [
  'v=0',
  'o=- 1 1 IN IP4 192.0.2.1',
  's=-',
  'c=IN IP4 192.0.2.1',
  't=0 0',
  'm=audio 16384 RTP/SAVP 0 101',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:101 telephone-event/8000',
  'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj',
  '',
].join('\r\n');

const headers = (cseq: string, body: string, more: readonly string[] = []): string[] => [
  'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1',
  'From: <sip:ringcast@192.0.2.1>;tag=1',
  'To: <sip:bob@192.0.2.7>;tag=2',
  'Call-ID: c1',
  `CSeq: ${cseq}`,
  'Max-Forwards: 70',
  'Contact: <sip:ringcast@192.0.2.1>',
  ...more,
  ...(body === '' ? [] : ['Content-Type: application/sdp']),
  `Content-Length: ${body.length}`,
  '',
  body,
];

const message = (startLine: string, cseq: string, body = '', more: readonly string[] = []): Uint8Array =>
  maskSecrets(Buffer.from([startLine, ...headers(cseq, body, more)].join('\r\n')));

const CREDENTIALS =
  'Authorization: Digest username="u", realm="r", nonce="abc", uri="sip:b", response="0123456789abcdef"';
const MEDIA = 'audio 16384 RTP/SAVP 0 101';
const LONG = `Subject: ${'x'.repeat(61_000)}`;
const SAID: readonly (readonly [TracedMessage['direction'], Uint8Array])[] = [
  ['sent', message('INVITE sip:bob@192.0.2.7 SIP/2.0', '2 INVITE', SDP, [CREDENTIALS])],
  ['received', message('SIP/2.0 100 Trying', '2 INVITE')],
  ['received', message('SIP/2.0 200 OK', '2 INVITE', SDP)],
  ['sent', message('ACK sip:bob@192.0.2.7 SIP/2.0', '2 ACK')],
  ['received', message('INFO sip:ringcast@192.0.2.1 SIP/2.0', '1 INFO', '', [LONG])],
  ['sent', message('BYE sip:bob@192.0.2.7 SIP/2.0', '3 BYE')],
];

const conversation = (transport: TracedMessage['transport'], addresses: readonly [string, string]): TracedMessage[] =>
  SAID.map(([direction, octets], at) => ({
    direction,
    transport,
    local: { address: addresses[0], port: 15060 },
    remote: { address: addresses[1], port: 15070 },
    seenAt: Date.UTC(2026, 10, 21, 12, 0, 0, at * 7),
    octets,
  }));

const decoded = async (messages: readonly TracedMessage[], ...options: string[]): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-pcap-'));
  try {
    const path = join(directory, 'call.pcap');
    await writeFile(path, toPcap(messages));
    const checked = ['udp', 'tcp', 'ip'].flatMap((name) => ['-o', `${name}.check_checksum:TRUE`]);
    return (await run('tshark', ['-n', '-r', path, ...checked, ...options], { maxBuffer: 64 * 1024 * 1024 })).stdout;
  } finally {
    await rm(directory, { recursive: true });
  }
};

describeWithPeer('tshark', 'tshark', () => {
  it.each([
    ['udp', '192.0.2.1', '192.0.2.7'],
    ['udp', '2001:db8::1', '2001:db8::7'],
    ['tcp', '192.0.2.1', '192.0.2.7'],
    ['tls', '2001:db8::1', '2001:db8::7'],
  ] as const)('reads every message over %s from %s to %s', async (transport, local, remote) => {
    const messages = conversation(transport, [local, remote]);
    const fields = ['frame.time_epoch', 'sip.CSeq', 'sip.Status-Code', 'sdp.media'];
    const listed = await decoded(messages, '-Y', 'sip', '-T', 'fields', ...fields.flatMap((name) => ['-e', name]));
    const epoch = (at: number) => `${Date.UTC(2026, 10, 21, 12) / 1000}.${String(at * 7).padStart(3, '0')}000000`;
    expect(
      listed
        .trimEnd()
        .split('\n')
        .map((line) => line.trimEnd().split('\t')),
    ).toEqual([
      [epoch(0), '2 INVITE', '', MEDIA],
      [epoch(1), '2 INVITE', '100'],
      [epoch(2), '2 INVITE', '200', MEDIA],
      [epoch(3), '2 ACK'],
      [epoch(4), '1 INFO'],
      [epoch(5), '3 BYE'],
    ]);
    const everything = await decoded(messages, '-V');
    expect(everything).not.toMatch(/malformed|incorrect, should be|bogus|\[Checksum Status: Bad\]/i);
    expect(everything).toMatch(/checksum: 0x\w+ \[correct\]/i);
    expect(everything).not.toContain('0123456789abcdef');
  });
});
