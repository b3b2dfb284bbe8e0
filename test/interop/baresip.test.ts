import { expect, it } from 'vitest';
import { startBaresip } from './baresip.ts';
import { essenceOf, noiseClip, openCaller } from './caller.ts';
import { describeWithPeer } from './peer-program.ts';

describeWithPeer('baresip', 'baresip-core', () => {
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
