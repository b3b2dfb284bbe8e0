import { describe, expect, test } from 'vitest';
import { sdpOf } from '../../test/support/sip-peer.ts';
import { sdpParts, talk } from '../../test/support/talking.ts';
import { createTelephonyBench, PEER, type TelephonyBench } from '../../test/support/telephony-bench.ts';
import { nameAddr } from '../sip/name-addr.ts';
import { sipUri } from '../sip/uri.ts';

const voiceOf = (bench: TelephonyBench) =>
  bench.media.events.map(({ kind, to, codec }) =>
    [kind, to?.address, codec].filter((part) => part !== undefined).join(' '),
  );
const bodyOf = (body: Uint8Array | undefined) => new TextDecoder().decode(body);

describe.each(['INVITE', 'UPDATE'])('an offer by %s during the call', (method) => {
  test('hold and resume', async () => {
    const { bench, placed, call } = await talk({}, 50);
    for (const direction of ['a=sendonly', 'a=sendrecv']) {
      void call.request(method, sdpParts(sdpOf('10.0.0.2', 40_000, direction)));
      await bench.clock.advance(100);
    }
    expect(voiceOf(bench)).toEqual(['play 10.0.0.2', 'hold', 'resume']);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  });

  test('hold the old way, by 0.0.0.0, and resume elsewhere', async () => {
    const { bench, placed, call } = await talk({}, 50);
    for (const address of ['0.0.0.0', '10.0.0.7']) {
      void call.request(method, sdpParts(sdpOf(address)));
      await bench.clock.advance(100);
    }
    expect(voiceOf(bench)).toEqual(['play 10.0.0.2', 'hold', 'redirect 10.0.0.7 PCMU', 'resume']);
    await bench.finish(placed);
  });

  test('another codec that we have', async () => {
    const { bench, placed, call } = await talk({}, 50);
    const offer = sdpOf('10.0.0.2').replace('RTP/AVP 0 8', 'RTP/AVP 97 8').replace('rtpmap:0 PCMU', 'rtpmap:97 PCMA');
    const answer = call.ask(method, sdpParts(offer));
    await bench.clock.advance(100);
    expect(bodyOf((await answer)?.body)).toContain('RTP/AVP 97\r\na=rtpmap:97 PCMA/8000\r\n');
    expect(voiceOf(bench)).toEqual(['play 10.0.0.2', 'redirect 10.0.0.2 PCMA']);
    await bench.finish(placed);
  });

  test('the codec in use is kept wherever the offer puts it', async () => {
    const { bench, placed, call } = await talk({}, 50);
    void call.request(method, sdpParts(sdpOf('10.0.0.2').replace('RTP/AVP 0 8', 'RTP/AVP 8 0')));
    await bench.clock.advance(100);
    expect(voiceOf(bench)).toEqual(['play 10.0.0.2']);
    await bench.finish(placed);
  });

  test.each([
    ['a codec that we lack', sdpOf('10.0.0.2').replace('RTP/AVP 0 8', 'RTP/AVP 18')],
    ['loopback', sdpOf('127.0.0.1')],
    ['port 0', sdpOf('10.0.0.2', 0)],
    ['no SDP at all', 'hello'],
  ])('%s is refused with 488, and the call goes on as it was', async (_what, offer) => {
    const { bench, placed, call } = await talk({}, 50);
    const status = call.request(method, sdpParts(offer));
    await bench.clock.advance(100);
    expect(await status).toBe(488);
    expect(voiceOf(bench)).toEqual(['play 10.0.0.2']);
    expect((await bench.finish(placed)).outcome).toBe('completed');
  });
});

describe.each([
  ['a=sendonly', sdpOf('10.0.0.2', 40_000, 'a=sendonly')],
  ['a=inactive', sdpOf('10.0.0.2', 40_000, 'a=inactive')],
  ['0.0.0.0', sdpOf('0.0.0.0')],
])('a peer that answers on hold, by %s', (_, answer) => {
  test('is played to, from the start, when it resumes', async () => {
    const { bench, placed, call } = await talk({ answer }, 50);
    await bench.clock.advance(60_000);
    expect([voiceOf(bench), placed.call.framesSent()]).toEqual([[], [0]]);
    for (const direction of ['a=inactive', 'a=sendrecv']) {
      void call.request('INVITE', sdpParts(sdpOf('10.0.0.2', 40_000, direction)));
      await bench.clock.advance(100);
    }
    expect(voiceOf(bench)).toEqual(['play 10.0.0.2']);
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'completed', framesSent: [50] });
    bench.expectRest();
  });

  test('and never resumes is hung up on after ten minutes', async () => {
    const { bench, placed } = await talk({ answer }, 50);
    const result = await bench.finish(placed);
    expect(result).toMatchObject({ outcome: 'failed', sipReason: expect.stringMatching(/on hold for ten minutes/) });
    expect(result).toMatchObject({ framesSent: [0], wasAnswered: true });
    expect(placed.endedAtMs()).toBeGreaterThanOrEqual(601_000);
    expect(placed.endedAtMs()).toBeLessThan(602_000);
    expect(bench.peer.calls[0]?.state).toBe('ended');
    bench.expectRest();
  });
});

test('a new Contact is where our requests go from then on (RFC 3261 12.2.1.2)', async () => {
  const { bench, placed, call } = await talk({}, 50);
  void call.request('UPDATE', { contact: nameAddr(sipUri({ user: 'moved', host: PEER.address, port: PEER.port })) });
  await bench.finish(placed);
  expect(bench.traffic.find(({ text }) => text.startsWith('BYE'))?.text).toMatch(/^BYE sip:moved@10\.0\.0\.2:5070 /);
});

describe('Record-Route', () => {
  const throughProxies = async (...proxies: readonly string[]) => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    bench.rewrite((text) =>
      text.startsWith('SIP/2.0 200') && text.includes(' INVITE\r\n')
        ? text.replace('\r\nContact', `\r\n${proxies.map((proxy) => `Record-Route: <${proxy}>\r\n`).join('')}Contact`)
        : text,
    );
    const placed = bench.place({ frames: [50] });
    await bench.finish(placed);
    const sent = bench.traffic.filter(({ from, text }) => from === 'ua' && /^(ACK|BYE)/.test(text));
    const linesOf = (text: string) => text.split('\r\n').filter((line, i) => i === 0 || line.startsWith('Route: '));
    return sent.map(({ text }) => linesOf(text));
  };

  test('loose routers stand in Route, the last to record first, in ACK and BYE alike (12.2.1.1)', async () => {
    const routes = ['Route: <sip:10.0.0.2:5070;lr;p=2>', 'Route: <sip:p1.test;lr>'];
    expect(await throughProxies('sip:p1.test;lr', 'sip:10.0.0.2:5070;lr;p=2')).toEqual([
      ['ACK sip:peer@10.0.0.2:5070 SIP/2.0', ...routes],
      ['BYE sip:peer@10.0.0.2:5070 SIP/2.0', ...routes],
    ]);
  });

  test('a strict router takes the Request-URI, and the target comes last (12.2.1.1)', async () => {
    const routes = ['Route: <sip:p1.test;lr>', 'Route: <sip:peer@10.0.0.2:5070>'];
    expect(await throughProxies('sip:p1.test;lr', 'sip:10.0.0.2:5070')).toEqual([
      ['ACK sip:10.0.0.2:5070 SIP/2.0', ...routes],
      ['BYE sip:10.0.0.2:5070 SIP/2.0', ...routes],
    ]);
  });
});
