import { expect, it } from 'vitest';
import { startBaresip } from './baresip.ts';
import { essenceOf, noiseClip, openCaller } from './caller.ts';
import { describeWithPeer } from './peer-program.ts';

describeWithPeer('baresip', 'baresip-core', () => {
  it('holds the call and takes it back', async () => {
    const baresip = await startBaresip('PCMU');
    const caller = await openCaller();
    const call = caller.ring(baresip.uri, { clips: [noiseClip('one', 150)] });
    await baresip.until('Call established');
    baresip.type('x');
    await baresip.until('got SDP answer');
    baresip.type('X');
    const result = await call.result;
    expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec: 'PCMU', framesSent: [150] });
    await baresip.until('packets:');
    // It throws away what comes while it holds, and counts the rest.
    const [, received] = /packets: +\d+ +(\d+)/.exec(baresip.output()) ?? [];
    expect(Number(received)).toBeGreaterThan(100);
  });

  it('answers our health check', async () => {
    const baresip = await startBaresip('PCMU');
    const caller = await openCaller();
    const port = Number(baresip.uri.split(':').at(-1));
    expect(await caller.probe(port)).toBe(true);
  });

  it('is unreachable under a name it does not have', async () => {
    const baresip = await startBaresip('PCMU');
    const caller = await openCaller();
    const destination = baresip.uri.replace('phone', 'nobody');
    const result = await caller.ring(destination, { clips: [noiseClip('a', 5)] }).result;
    expect(essenceOf(result)).toMatchObject({ outcome: 'unreachable', sipStatus: 404, framesSent: [0] });
  });
});
