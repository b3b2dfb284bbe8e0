import { expect, it } from 'vitest';
import { parseRtpPacket } from '../../src/rtp/packet.ts';
import { openRtpPeer, payloads } from '../support/media.ts';
import { essenceOf, noiseClip, octetsOf, openCaller } from './caller.ts';
import { describeWithPeer } from './peer-program.ts';
import { OVER_TCP, startSipp } from './sipp.ts';

describeWithPeer('sipp', 'sip-tester', () => {
  it.each([
    ['PCMU', 0],
    ['PCMA', 8],
  ] as const)('plays the whole playlist in %s to it, and acknowledges every answer', async (codec, payload_type) => {
    const ear = await openRtpPeer();
    const sipp = await startSipp('answers', { heard_on: ear.port, payload_type, encoding: `${codec}/8000` });
    const caller = await openCaller();
    const clips = [noiseClip('greeting', 20), noiseClip('first', 30)];
    const result = await caller.ring(sipp.uri, { clips }).result;
    expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec, framesSent: [20, 30] });
    await ear.until(50);
    expect(payloads(ear.packets()).equals(octetsOf(clips, codec))).toBe(true);
    expect(await sipp.exited).toBe(0);
    expect(await sipp.received('INVITE')).toBeGreaterThan(1);
    expect(await sipp.received('ACK')).toBeGreaterThan(1);
    expect(await sipp.received('BYE')).toBe(1);
  });

  it.each([
    ['busy', 'busy', 486],
    ['refuses-media', 'failed', 488],
  ] as const)('takes %s for an answer', async (scenario, outcome, sipStatus) => {
    const sipp = await startSipp(scenario);
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 5)] }).result;
    expect(essenceOf(result)).toEqual({ outcome, sipStatus, codec: null, framesSent: [0] });
    expect(await sipp.exited).toBe(0);
  });

  it('gives up when it has rung long enough', async () => {
    const sipp = await startSipp('rings');
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 5)], ringTimeoutMs: 500 }).result;
    expect(result.outcome).toBe('no_answer');
    expect(await sipp.exited).toBe(0);
  });

  it.each([
    ['answers from two phones', 'forks', 2],
    ['redirects to another of its addresses', 'redirects', 2],
    ['wants a longer session', 'wants-longer', 2],
    ['sends UPDATE before and after its answer', 'updates', 1],
    ['holds and resumes', 'holds', 1],
  ])('completes a call when it %s', async (_what, scenario, acks) => {
    const ear = await openRtpPeer();
    const sipp = await startSipp(scenario, { heard_on: ear.port }, OVER_TCP);
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 50)] }).result;
    expect(result.outcome).toBe('completed');
    expect(await sipp.exited, sipp.output()).toBe(0);
    expect(await sipp.received('ACK')).toBe(acks);
  });

  it('acknowledges each of its answers again as long as it hears no ACK', async () => {
    const ear = await openRtpPeer();
    // Without its own retransmissions, so that a repeated ACK counts as one.
    const sipp = await startSipp('loses-acks', { heard_on: ear.port }, ['-nr']);
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 80)] }).result;
    expect(result).toMatchObject({ outcome: 'completed', framesSent: [80] });
    expect(await sipp.exited, sipp.output()).toBe(0);
    expect(await sipp.received('ACK')).toBe(4);
  });

  it('hangs up on it when it answers after the CANCEL, and tells that it did', async () => {
    const sipp = await startSipp('answers-late', { heard_on: 9 });
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 5)], ringTimeoutMs: 500 }).result;
    expect(result).toMatchObject({ outcome: 'no_answer', wasAnswered: true, sipStatus: 200 });
    expect(await sipp.exited, sipp.output()).toBe(0);
  });

  it('tells when it wants to be called again', async () => {
    const sipp = await startSipp('overloaded');
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 5)] }).result;
    expect(result).toMatchObject({ outcome: 'unreachable', sipStatus: 503, retryAfterSeconds: 30 });
    expect(await sipp.exited).toBe(0);
  });

  it('notes each key that it presses', async () => {
    const sipp = await startSipp('presses', { heard_on: (await openRtpPeer()).port }, OVER_TCP);
    const caller = await openCaller();
    const { outcome, digits } = await caller.ring(sipp.uri, { clips: [noiseClip('a', 50)] }).result;
    expect(await sipp.exited, sipp.output()).toBe(0);
    expect({ outcome, digits: digits.map(({ digit }) => digit) }).toEqual({ outcome: 'completed', digits: ['5', '5'] });
    const [first, second] = digits.map(({ ms }) => ms);
    expect(second).toBeGreaterThan(first ?? Number.NaN);
  });

  it('sees that it hung up', async () => {
    const ear = await openRtpPeer();
    const sipp = await startSipp('hangs-up', { heard_on: ear.port });
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 500)] }).result;
    expect(result.outcome).toBe('hung_up');
    expect(result.framesSent[0]).toBeLessThan(500);
    expect(await sipp.exited).toBe(0);
  });

  it('follows it to another media port without losing a frame', async () => {
    const [first, second] = [await openRtpPeer(), await openRtpPeer()];
    const sipp = await startSipp('moves', { heard_on: first.port, then_heard_on: second.port });
    const caller = await openCaller();
    const clips = [noiseClip('a', 60)];
    const result = await caller.ring(sipp.uri, { clips }).result;
    expect(result.outcome).toBe('completed');
    expect(await sipp.exited).toBe(0);
    await second.until(60 - first.datagrams.length);
    expect([first.datagrams.length > 0, second.datagrams.length > 0]).toEqual([true, true]);
    const heard = [...first.datagrams, ...second.datagrams].map((datagram) => parseRtpPacket(datagram)?.payload);
    expect(Buffer.concat(heard as Uint8Array[]).equals(octetsOf(clips, 'PCMU'))).toBe(true);
  });
});
