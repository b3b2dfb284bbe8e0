import { expect, it } from 'vitest';
import { createPlaylist } from '../../src/media/playlist.ts';
import { startBaresip } from './baresip.ts';
import { essenceOf, noiseClip, openCaller, samplesOf } from './caller.ts';
import { describeWithPeer } from './peer-program.ts';

/** libre's table answers 2 and -2 for the two μ-law codes of zero, where G.711 has 0; no other code gives these. */
const zeroAsInG711 = (samples: Int16Array): Int16Array =>
  samples.map((sample) => (Math.abs(sample) === 2 ? 0 : sample));

const firstDifference = (heard: Int16Array, sent: Int16Array): number =>
  heard.findIndex((sample, index) => sample !== sent[index]);

describeWithPeer('baresip', 'baresip-core', () => {
  it.each(['PCMU', 'PCMA'] as const)(
    'hears every sample of the playlist and its silences in %s, first and last included',
    async (codec) => {
      const baresip = await startBaresip(codec);
      const caller = await openCaller();
      const clips = [noiseClip('greeting', 60), noiseClip('first', 75), noiseClip('second', 1)];
      const silences = { leadInMs: 100, gapMs: 60, tailMs: 40 };
      const result = await caller.ring(baresip.uri, { clips, silences }).result;
      expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec, framesSent: [60, 75, 1] });
      await baresip.until('terminated');
      const heard = zeroAsInG711(await baresip.recording());
      const sent = samplesOf(createPlaylist(clips, silences).parts, codec);
      expect({ length: heard.length, firstDifference: firstDifference(heard, sent) }).toEqual({
        length: sent.length,
        firstDifference: -1,
      });
    },
  );

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
