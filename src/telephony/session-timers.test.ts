import { describe, expect, test } from 'vitest';
import type { PeerScript } from '../../test/support/peer-script.ts';
import { methodsOf } from '../../test/support/sip-messages.ts';
import { sdpOf } from '../../test/support/sip-peer.ts';
import { createTelephonyBench, type TelephonyBench } from '../../test/support/telephony-bench.ts';
import { findHeader, type Header, type SipRequest } from '../sip/message.ts';

const header = (name: string, value: string): Header => ({ name, value });
const ALLOW_UPDATE = header('Allow', 'INVITE, ACK, BYE, UPDATE');
const expires = (value: string): Header => header('Session-Expires', value);

/** A message of five minutes, to a peer that agrees on `headers`. */
const talking = async (headers: readonly Header[], script: PeerScript = {}) => {
  const bench = createTelephonyBench({ script: { answerAfterMs: 0, answerHeaders: headers, ...script } });
  const placed = bench.place({ frames: [15_000] });
  await bench.clock.advance(1_000);
  const call = bench.peer.calls[0];
  if (!call) throw new Error('no call');
  return { bench, placed, call };
};
const sentAtMs = (bench: TelephonyBench, method: string) =>
  bench.traffic.filter(({ from, text }) => from === 'ua' && text.startsWith(method)).map(({ atMs }) => atMs);

describe('session timers (RFC 4028)', () => {
  test('the INVITE asks for one, and names nobody to refresh', async () => {
    const { bench, placed } = await talking([]);
    expect(findHeader(bench.peer.received[0] as SipRequest, 'Session-Expires')).toBe('1800');
    expect(findHeader(bench.peer.received[0] as SipRequest, 'Supported')).toBe('100rel, timer');
    expect((await bench.finish(placed)).outcome).toBe('completed');
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK', 'BYE']);
    bench.expectRest();
  });

  test('we refresh at half the time, by UPDATE if the peer allows it', async () => {
    const serve = () => ({ status: 200, parts: { headers: [expires('90;refresher=uac')] } });
    const { bench, placed } = await talking([expires('90;refresher=uac'), ALLOW_UPDATE], { serve });
    expect((await bench.finish(placed)).outcome).toBe('completed');
    expect(sentAtMs(bench, 'UPDATE').map((atMs) => Math.floor(atMs / 1_000))).toEqual([45, 90, 135, 180, 225, 270]);
    const update = bench.peer.received.find(({ method }) => method === 'UPDATE');
    expect(update?.body.length).toBe(0);
    expect(findHeader(update as SipRequest, 'Session-Expires')).toBe('90;refresher=uac');
    bench.expectRest();
  });

  test('else by a re-INVITE whose offer changes nothing, and which is acknowledged', async () => {
    const { bench, placed } = await talking([expires('90;refresher=uac')]);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    const invites = bench.peer.received.filter(({ method }) => method === 'INVITE');
    const versions = invites.map(({ body }) => /o=- (\d+ \d+)/.exec(new TextDecoder().decode(body))?.[1]);
    expect(invites.length).toBe(2);
    expect(versions[1]).toBe(versions[0]?.replace(/1$/, '2'));
    expect(bench.peer.received.filter(({ method }) => method === 'ACK').length).toBe(2);
    expect(bench.media.events.filter(({ kind }) => kind !== 'finished' && kind !== 'stop')).toHaveLength(1);
    bench.expectRest();
  });

  test('an UPDATE that is refused as unknown is followed by a re-INVITE', async () => {
    const serve = ({ method }: SipRequest) => (method === 'UPDATE' ? { status: 501 } : { status: 200 });
    const { bench, placed } = await talking([expires('400;refresher=uac'), ALLOW_UPDATE], { serve });
    expect((await bench.finish(placed)).outcome).toBe('completed');
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK', 'UPDATE', 'INVITE', 'ACK', 'BYE']);
  });

  test('a peer that was to refresh and does not is hung up 32 s, at most, before the time is over', async () => {
    const { bench, placed } = await talking([expires('180;refresher=uas')]);
    const result = await bench.finish(placed);
    expect(result).toMatchObject({ outcome: 'failed', sipReason: expect.stringMatching(/not refreshed.*RFC 4028/) });
    expect(sentAtMs(bench, 'BYE')).toEqual([10 + (180 - 32) * 1_000]);
    bench.expectRest();
  });

  test.each(['UPDATE', 'INVITE'])('a peer that refreshes by %s lives on, and is told what holds', async (method) => {
    const { bench, placed, call } = await talking([expires('180;refresher=uas')]);
    await bench.clock.advance(90_000);
    const answer = call.ask(method, {
      headers: [expires('180;refresher=uac'), header('Supported', 'timer')],
      ...(method === 'INVITE'
        ? { contentType: 'application/sdp', body: new TextEncoder().encode(sdpOf('10.0.0.2')) }
        : {}),
    });
    await bench.clock.advance(50);
    const response = await answer;
    expect(response?.status).toBe(200);
    expect(response && findHeader(response, 'Session-Expires')).toBe('180;refresher=uac');
    expect(response && findHeader(response, 'Require')).toBe('timer');
    expect((await bench.finish(placed)).outcome).toBe('failed');
    expect(Math.floor((sentAtMs(bench, 'BYE')[0] ?? 0) / 1_000)).toBe(91 + 148);
  });

  test('a peer whose refresh leaves the timer out ends the watching', async () => {
    const { bench, placed, call } = await talking([expires('180;refresher=uas')]);
    void call.request('UPDATE');
    expect((await bench.finish(placed)).outcome).toBe('completed');
  });

  test('a peer that asks for less than 90 s gets 422 and our Min-SE', async () => {
    const { bench, placed, call } = await talking([]);
    const answer = call.ask('UPDATE', { headers: [expires('30'), header('Supported', 'timer')] });
    await bench.clock.advance(50);
    const response = await answer;
    expect(response?.status).toBe(422);
    expect(response && findHeader(response, 'Min-SE')).toBe('90');
    await bench.finish(placed);
  });

  test.each([408, 481])('%i to a refresh ends the call at once', async (status) => {
    const serve = () => ({ status });
    const { bench, placed } = await talking([expires('90;refresher=uac'), ALLOW_UPDATE], { serve });
    expect((await bench.finish(placed)).outcome).toBe('failed');
    expect(Math.floor((sentAtMs(bench, 'BYE')[0] ?? 0) / 1_000)).toBe(45);
  });

  test('another refusal of a refresh leaves the call until its time is over', async () => {
    const serve = () => ({ status: 403 });
    const { bench, placed } = await talking([expires('90;refresher=uac'), ALLOW_UPDATE], { serve });
    expect((await bench.finish(placed)).outcome).toBe('failed');
    expect(Math.floor((sentAtMs(bench, 'BYE')[0] ?? 0) / 1_000)).toBe(60);
    expect(sentAtMs(bench, 'UPDATE')).toHaveLength(1);
  });

  test('500 with Retry-After is waited out', async () => {
    let count = 0;
    const serve = () => {
      count += 1;
      return count === 1
        ? { status: 500, parts: { headers: [header('Retry-After', '7 (soon)')] } }
        : { status: 200, parts: { headers: [expires('600;refresher=uac')] } };
    };
    const { bench, placed } = await talking([expires('90;refresher=uac'), ALLOW_UPDATE], { serve });
    expect((await bench.finish(placed)).outcome).toBe('completed');
    const [first = 0, second = 0] = sentAtMs(bench, 'UPDATE');
    expect(Math.round((second - first) / 1_000)).toBe(7);
  });

  test('a refresh that gets 422 is sent again with the Min-SE it names', async () => {
    const serve = (request: SipRequest) =>
      findHeader(request, 'Min-SE') === '300'
        ? { status: 200, parts: { headers: [expires('300;refresher=uac')] } }
        : { status: 422, parts: { headers: [header('Min-SE', '300')] } };
    const { bench, placed } = await talking([expires('90;refresher=uac'), ALLOW_UPDATE], { serve });
    expect((await bench.finish(placed)).outcome).toBe('completed');
    const asked = bench.peer.received.filter(({ method }) => method === 'UPDATE');
    expect(asked.map((update) => findHeader(update, 'Session-Expires'))).toEqual([
      '90;refresher=uac',
      '300;refresher=uac',
      '300;refresher=uac',
    ]);
  });
});

describe('422 to the INVITE (RFC 4028 7.3)', () => {
  const gateAsking = (seconds: number, times: number) => {
    let left = times;
    return ({ method }: SipRequest) => {
      if (method !== 'INVITE' || left === 0) return null;
      left -= 1;
      return { status: 422, headers: [header('Min-SE', String(seconds))] };
    };
  };

  test('is answered by one INVITE more, in the same call, that asks for as long', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0, gate: gateAsking(3_600, 1) } });
    expect((await bench.finish(bench.place())).outcome).toBe('completed');
    const [first, second] = bench.peer.received.filter(({ method }) => method === 'INVITE') as [SipRequest, SipRequest];
    expect([second.callId, second.from.params, second.cseq.number]).toEqual([first.callId, first.from.params, 2]);
    expect([findHeader(second, 'Session-Expires'), findHeader(second, 'Min-SE')]).toEqual(['3600', '3600']);
    expect(second.vias[0].params).not.toEqual(first.vias[0].params);
    bench.expectRest();
  });

  test.each([
    ['a second 422', 3_600, 2, 2],
    ['a Min-SE that was met already', 90, 1, 1],
  ])('%s is the end', async (_what, seconds, times, invites) => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0, gate: gateAsking(seconds, times) } });
    expect(await bench.finish(bench.place())).toMatchObject({ outcome: 'rejected', sipStatus: 422 });
    expect(bench.peer.received.filter(({ method }) => method === 'INVITE')).toHaveLength(invites);
    bench.expectRest();
  });
});
