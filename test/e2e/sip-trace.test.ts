import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPhone, type Phone } from '../../src/phone/phone.ts';
import { type Json, startRingcast, type TestServer } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';

let server: TestServer;
let phone: Phone;

beforeEach(async () => {
  phone = await openPhone({
    listen: { address: '127.0.0.1', port: 0 },
    recordDirectory: null,
    answerAfterMs: 0,
    behaviour: 'answer',
    onEvent: () => undefined,
  });
});
afterEach(async () => {
  await server.close();
  await phone.close();
});

/** Places a call to the phone; the path of the call once it is over. */
const call = async (): Promise<string> => {
  const { appKey, networkId } = await makeScenario(server.api, [phone.uri]);
  const mediaId = await uploadMedia(server.api, appKey, toneWav(440, 5));
  const answer = await server.api.blast(mediaId, { networkid: networkId, appkey: appKey });
  const blast = await blastUntil(server.api, appKey, blastIdOf(answer), ({ state }) => state === 'finished');
  return `/calls/${blast.calls[0].id}`;
};

const lineOf = ({ direction, text }: Json): string =>
  `${direction} ${text.split('\r\n', 1)[0].replace(/ sip:.*/, '')} ${/CSeq: (.*)\r/.exec(text)?.[1]}`;

const messagesUntil = async (path: string, isThere: (lines: string[]) => boolean): Promise<Json> => {
  for (;;) {
    const trace = must(200, await server.api.operator('GET', `${path}/messages`));
    if (isThere(trace.items.map(lineOf))) return trace;
  }
};

describe('what a call said on the wire', () => {
  it('is kept with the call, and given out as text and as a capture file', async () => {
    server = await startRingcast();
    const path = await call();
    const last = 'received SIP/2.0 200 OK 2 BYE';
    const trace = await messagesUntil(path, (lines) => lines.includes(last));
    const lines = trace.items.map(lineOf);
    expect(lines[0]).toBe('sent INVITE 1 INVITE');
    expect(lines).toEqual(
      expect.arrayContaining(['received SIP/2.0 200 OK 1 INVITE', 'sent ACK 1 ACK', 'sent BYE 2 BYE']),
    );
    const [invite] = trace.items;
    expect(invite).toMatchObject({ attempt: 1, transport: 'udp', remote: `127.0.0.1:${phone.port}` });
    expect(`sip:${invite.local}`).toBe(server.sip);
    expect(trace.omitted).toBe(0);
    expect(must(200, await server.api.operator('GET', path))).toMatchObject({ outcome: 'completed' });

    const headers = { authorization: `Bearer ${server.operatorToken}` };
    const capture = await fetch(`${server.operatorUrl}/operator/v1${path}/messages.pcap`, { headers });
    expect(capture.headers.get('content-type')).toBe('application/vnd.tcpdump.pcap');
    const octets = Buffer.from(await capture.arrayBuffer());
    expect(octets.readUInt32LE(0)).toBe(0xa1b2c3d4);
    expect(octets.toString('latin1').match(/Call-ID: /g)).toHaveLength(lines.length);
  });

  it('is not to be had of a call that is not there', async () => {
    server = await startRingcast();
    for (const path of ['/calls/1', '/calls/1/messages', '/calls/1/messages.pcap'])
      expect((await server.api.operator('GET', path)).status, path).toBe(404);
  });

  it('is not kept if nobody wants it', async () => {
    server = await startRingcast({ RINGCAST_SIP_TRACE_HOURS: '0' });
    const path = await call();
    expect(must(200, await server.api.operator('GET', `${path}/messages`)).items).toEqual([]);
  });
});
