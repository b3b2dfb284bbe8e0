import { beforeAll, expect, it } from 'vitest';
import type { ClipAudio } from '../../src/domain/call.ts';
import type { Codec } from '../../src/domain/codec.ts';
import type { SrtpSuiteName } from '../../src/rtp/srtp-suite.ts';
import { essenceOf, noiseClip, openCaller, samplesOf } from './caller.ts';
import { startLinphone } from './linphone.ts';
import { describeWithPeer } from './peer-program.ts';
import { compareSounds, ingestSpeech, type Sound, type Speech } from './speech.ts';
import { LINPHONE } from './tried.ts';

const FRAME_SAMPLES = 160;

const bytesOf = (samples: Int16Array): Buffer => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

/** How many frames of a playlist are in a recording, each sample for sample and after the one before. */
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

const NOISE = [noiseClip('one', 50), noiseClip('two', 100)];

/** Plays the whole playlist to a phone that has but this codec. What it recorded. */
const playIn = async (codec: Codec, suite: SrtpSuiteName | null, clips: readonly ClipAudio[]): Promise<Sound> => {
  const phone = await startLinphone(codec, suite === null ? 'none' : 'srtp');
  const caller = await openCaller({ suite: suite ?? undefined });
  await caller.untilUp(Number(phone.uri.split(':').at(-1)));
  const srtp = suite === null ? 'off' : 'required';
  const result = await caller.ring(phone.uri, { clips, codecs: [codec], srtp }).result;
  const framesSent = clips.map(({ frameCount }) => frameCount);
  expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec, framesSent });
  await phone.until('ended');
  return phone.recording();
};

/** Its jitter buffer keeps the last frames when the call ends, and moves where the first ones are played. */
const expectMostOf = (clips: readonly ClipAudio[], codec: 'PCMU' | 'PCMA', { samples }: Sound): void =>
  expect(framesFound(samples, samplesOf(clips, codec)), codec).toBeGreaterThan(100);

/** As loud, as a whole and in each band. How long it is says when linphone got round to recording, and no more. */
const expectLike = ({ source }: Speech, heard: Sound, gainDb: number): void => {
  const found = compareSounds(heard, source);
  expect(Math.abs(found.gainDb - gainDb)).toBeLessThan(2);
  expect(found.worstBandDb).toBeLessThan(6);
};

describeWithPeer('linphonec', 'linphone-cli', () => {
  describeWithPeer('ffmpeg', 'ffmpeg', () => {
    let speech: Speech;
    beforeAll(async () => {
      speech = await ingestSpeech();
    });

    it.each([null, ...LINPHONE.suites])('hears the playlist in every codec, encrypted by %s', async (suite) => {
      const [opus, g722, pcmu, pcma] = await Promise.all([
        playIn('opus', suite, [speech.clip]),
        playIn('G722', suite, [speech.clip]),
        playIn('PCMU', suite, NOISE),
        playIn('PCMA', suite, NOISE),
      ]);
      expectLike(speech, opus, 0);
      // Its decoder gives twice the amplitude that FFmpeg's and spandsp's give.
      expectLike(speech, g722, 6);
      expectMostOf(NOISE, 'PCMU', pcmu);
      expectMostOf(NOISE, 'PCMA', pcma);
    });
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
    expect(framesFound((await linphone.recording()).samples, samplesOf(clips, 'PCMU'))).toBeGreaterThan(100);
  });
});
