import { expect, it } from 'vitest';
import { essenceOf, noiseClip, openCaller, samplesOf } from './caller.ts';
import { startLinphone } from './linphone.ts';
import { describeWithPeer } from './peer-program.ts';

const FRAME_SAMPLES = 160;

const bytesOf = (samples: Int16Array): Buffer => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

/** How many frames of noise are in a recording, each sample for sample and after the one before. */
const framesFound = (heard: Int16Array, sent: Int16Array): number => {
  const recording = bytesOf(heard);
  let [found, from] = [0, 0];
  for (let at = 0; at < sent.length; at += FRAME_SAMPLES) {
    const frame = bytesOf(sent.subarray(at, at + FRAME_SAMPLES));
    const place = recording.indexOf(frame, from);
    if (place < 0) continue;
    found++;
    from = place + frame.length;
  }
  return found;
};

describeWithPeer('linphonec', 'linphone-cli', () => {
  it.each(['PCMU', 'PCMA'] as const)('hears the playlist in %s and is hung up on', async (codec) => {
    const linphone = await startLinphone(codec);
    const caller = await openCaller();
    await caller.untilUp(Number(linphone.uri.split(':').at(-1)));
    const clips = [noiseClip('one', 50), noiseClip('two', 100)];
    const result = await caller.ring(linphone.uri, { clips }).result;
    expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec, framesSent: [50, 100] });
    await linphone.until('ended');
    const heard = framesFound(await linphone.recording(), samplesOf(clips, codec));
    // Its jitter buffer keeps the last frames when the call ends, and moves where the first ones are played.
    expect(heard).toBeGreaterThan(100);
  });

  it('holds the call and takes it back', async () => {
    const linphone = await startLinphone('PCMU');
    const caller = await openCaller();
    await caller.untilUp(Number(linphone.uri.split(':').at(-1)));
    const clips = [noiseClip('one', 150)];
    const call = caller.ring(linphone.uri, { clips });
    await linphone.until('Media streams established');
    linphone.type('pause');
    await linphone.until('is now paused');
    linphone.type('resume');
    const result = await call.result;
    expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec: 'PCMU', framesSent: [150] });
    await linphone.until('ended');
    expect(framesFound(await linphone.recording(), samplesOf(clips, 'PCMU'))).toBeGreaterThan(100);
  });
});
