import { beforeAll, describe, expect, it } from 'vitest';
import { decodeByFfmpeg, encodeByFfmpeg, encodeBySpandsp } from './g722.ts';
import { describeWithPeer } from './peer-program.ts';
import { ingestSpeech, type Speech } from './speech.ts';

/** What both filters of G.722 hold back, in samples. */
const DELAY_SAMPLES = 22;

/** How far what differs lies below the sound, in dB. */
const signalToNoiseDb = (heard: Int16Array, source: Int16Array): number => {
  const compared = source.subarray(0, heard.length - DELAY_SAMPLES);
  const power = compared.reduce((sum, sample) => sum + sample ** 2, 0);
  const noise = compared.reduce((sum, sample, at) => sum + ((heard[at + DELAY_SAMPLES] ?? 0) - sample) ** 2, 0);
  return 10 * Math.log10(power / noise);
};

/** Renditions are FFmpeg's work; ITU-T's own sequences may not be handed on, so an encoder by others is its measure. */
describeWithPeer('ffmpeg', 'ffmpeg', () => {
  describeWithPeer('baresip', 'baresip-core', () => {
    let samples: Int16Array;
    beforeAll(async () => {
      const { source } = await ingestSpeech();
      samples = source.samples.subarray(0, source.samples.length & ~1);
    });

    it('writes the G.722 that spandsp writes, bit for bit', () => {
      expect(encodeByFfmpeg(samples).equals(encodeBySpandsp(samples))).toBe(true);
      // Steps over the whole range, so that every quantizer is at its limit.
      const steps = samples.map((_, at) => (at % 7 < 3 ? 32_767 : -32_768));
      expect(encodeByFfmpeg(steps).equals(encodeBySpandsp(steps))).toBe(true);
    });
  });

  describe.each(['native', 'WebAssembly'] as const)('renditions by FFmpeg, %s', (build) => {
    let speech: Speech;
    beforeAll(async () => {
      speech = await ingestSpeech(build);
    });

    it('hold speech in G.722 with no more noise than the codec makes', () => {
      const heard = decodeByFfmpeg(new Uint8Array(speech.clip.renditions.G722));
      const bare = decodeByFfmpeg(encodeByFfmpeg(speech.source.samples));
      const [ours, best] = [heard, bare].map((decoded) => signalToNoiseDb(decoded, speech.source.samples));
      expect(best).toBeGreaterThan(18);
      // Ours went to 48 kHz and back.
      expect(ours).toBeGreaterThan((best ?? 0) - 1);
    });
  });
});
