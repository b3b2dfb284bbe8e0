import { describe, expect, test } from 'vitest';
import { sdpOf } from '../../test/support/sip-peer.ts';
import { createTelephonyBench } from '../../test/support/telephony-bench.ts';

describe('inside the dialog', () => {
  const talking = async (frames = [1_000]) => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const placed = bench.place({ frames });
    await bench.clock.advance(1_000);
    const call = bench.peer.calls[0];
    if (!call) throw new Error('no call');
    return { bench, placed, call };
  };
  const sdpBody = (text: string) => ({ contentType: 'application/sdp', body: new TextEncoder().encode(text) });

  test('a re-INVITE to a new address moves the voice there', async () => {
    const { bench, placed, call } = await talking();
    const status = call.request('INVITE', sdpBody(sdpOf('10.0.0.3', 41_000)));
    await bench.clock.advance(100);
    expect(await status).toBe(200);
    expect(bench.media.events).toContainEqual(
      expect.objectContaining({ kind: 'redirect', to: { address: '10.0.0.3', port: 41_000 } }),
    );
    const answer = bench.traffic
      .filter((entry) => entry.text.startsWith('SIP/2.0 200') && / INVITE\r\n/.test(entry.text))
      .at(-1);
    expect(answer?.text).toMatch(/\r\no=- \d+ 2 IN IP4 10\.0\.0\.1\r\n/);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  });

  test('a re-INVITE that cannot be used gets 488 and changes nothing', async () => {
    const { bench, placed, call } = await talking();
    const status = call.request('INVITE', sdpBody(sdpOf('224.0.0.1')));
    await bench.clock.advance(100);
    expect(await status).toBe(488);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  });

  test.each([
    ['a=sendonly', 'recvonly', ['play', 'hold']],
    ['a=inactive', 'inactive', ['play', 'hold']],
    ['a=sendrecv', 'sendrecv', ['play']],
  ])('hold and resume are answered as they ask: %s by %s', async (theirs, ours, voice) => {
    const { bench, placed, call } = await talking();
    void call.request('INVITE', sdpBody(sdpOf('10.0.0.2', 40_000, theirs)));
    await bench.clock.advance(100);
    expect(bench.traffic.at(-2)?.text).toMatch(new RegExp(`\r\na=${ours}\r\n$`));
    expect(bench.media.events.map((event) => event.kind)).toEqual(voice);
    expect((await bench.finish(placed)).outcome).toBe('completed');
  });

  test('our 200 to a re-INVITE is repeated until its ACK', async () => {
    const { bench, placed, call } = await talking();
    bench.dropFirst('ACK', 1);
    void call.request('INVITE', sdpBody(sdpOf('10.0.0.2')));
    await bench.clock.advance(5_000);
    const answers = bench.traffic.filter(
      (entry) => entry.text.startsWith('SIP/2.0 200') && /CSeq: 1 INVITE/.test(entry.text) && entry.from === 'ua',
    );
    expect(answers.length).toBeGreaterThanOrEqual(2);
    expect(answers.length).toBeLessThanOrEqual(3);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  });

  test('a re-INVITE without SDP gets our offer', async () => {
    const { bench, placed, call } = await talking();
    const status = call.request('INVITE');
    await bench.clock.advance(100);
    expect(await status).toBe(200);
    expect((await bench.finish(placed)).outcome).toBe('completed');
  });

  test('a re-INVITE without SDP after a hold is offered the codec in use, and both directions', async () => {
    const { bench, placed, call } = await talking();
    void call.request('INVITE', sdpBody(sdpOf('10.0.0.2', 40_000, 'a=inactive')));
    await bench.clock.advance(100);
    void call.request('INVITE');
    await bench.clock.advance(100);
    const offer = bench.traffic.filter(({ from, text }) => from === 'ua' && text.includes('CSeq: 2 INVITE')).at(-1);
    expect(offer?.text).toMatch(/\r\no=- \d+ 3 IN IP4 10\.0\.0\.1\r\n[\s\S]* RTP\/AVP 0\r\n[\s\S]*a=sendrecv\r\n$/);
    await bench.finish(placed);
  });

  test('what needs an extension gets 420 and its name, and changes nothing', async () => {
    const { bench, placed, call } = await talking();
    const headers = [{ name: 'Require', value: '100rel, precondition' }];
    const status = call.request('INVITE', { ...sdpBody(sdpOf('10.0.0.3', 41_000)), headers });
    await bench.clock.advance(100);
    expect(await status).toBe(420);
    expect(bench.traffic.some(({ text }) => text.includes('\r\nUnsupported: precondition\r\n'))).toBe(true);
    expect(bench.media.events.map((event) => event.kind)).toEqual(['play']);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  });

  test('a CANCEL, which has the CSeq number of its INVITE, is not out of order', async () => {
    const { bench, placed, call } = await talking();
    void call.request('INVITE', sdpBody(sdpOf('10.0.0.2')));
    await bench.clock.advance(100);
    call.dialog = { ...call.dialog, localSeq: 0 };
    const status = call.request('CANCEL');
    await bench.clock.advance(100);
    expect(await status).toBe(481);
    expect((await bench.finish(placed)).outcome).toBe('completed');
  });

  test.each([
    ['OPTIONS', 200],
    ['INFO', 200],
    ['UPDATE', 200],
    ['PRACK', 405],
    ['PUZZLE', 501],
  ])('%s gets %i', async (method, status) => {
    const { bench, placed, call } = await talking();
    const answer = call.request(method);
    await bench.clock.advance(100);
    expect(await answer).toBe(status);
    await bench.finish(placed);
    bench.expectRest();
  });

  test('a request out of order gets 500', async () => {
    const { bench, placed, call } = await talking();
    void call.request('OPTIONS');
    await bench.clock.advance(100);
    call.dialog = { ...call.dialog, localSeq: 0 };
    const answer = call.request('OPTIONS');
    await bench.clock.advance(100);
    expect(await answer).toBe(500);
    await bench.finish(placed);
  });
});
