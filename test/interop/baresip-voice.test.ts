import { beforeAll, expect, it } from 'vitest';
import type { ClipAudio } from '../../src/domain/call.ts';
import type { Codec } from '../../src/domain/codec.ts';
import { createPlaylist } from '../../src/media/playlist.ts';
import type { SrtpSuiteName } from '../../src/rtp/srtp-suite.ts';
import { type Baresip, startBaresip } from './baresip.ts';
import { essenceOf, noiseClip, octetsOf, openCaller, samplesOf } from './caller.ts';
import { decodeByFfmpeg } from './g722.ts';
import { describeWithPeer } from './peer-program.ts';
import { compareSounds, ingestSpeech, type Sound, type Speech } from './speech.ts';
import { BARESIP } from './tried.ts';

/** Null is voice that is not encrypted. */
const SEALINGS = [null, ...BARESIP.suites];

const SILENCES = { leadInMs: 100, gapMs: 60, tailMs: 40 };

/** What the phone is to hear: clips with the silences around them. */
const partsOf = (clips: readonly ClipAudio[]): readonly ClipAudio[] => createPlaylist(clips, SILENCES).parts;

/** Plays to a phone of its own under each suite, all at once. What each phone says was used, and what it heard. */
const playUnderEach = async (codec: Codec, clips: readonly ClipAudio[]) => {
  const phones = await Promise.all(SEALINGS.map((suite) => startBaresip(codec, { isSealed: suite !== null })));
  const heard = await Promise.all(phones.map((phone, at) => play(phone, SEALINGS[at] ?? null, codec, clips)));
  expect(heard.map(({ suite }) => suite)).toEqual(SEALINGS);
  return heard;
};

const play = async (
  phone: Baresip,
  suite: SrtpSuiteName | null,
  codec: Codec,
  clips: readonly ClipAudio[],
): Promise<{ suite: string | null; sound: Sound }> => {
  const caller = await openCaller({ suite: suite ?? undefined });
  const srtp = suite === null ? 'off' : 'required';
  const result = await caller.ring(phone.uri, { clips, silences: SILENCES, codecs: [codec], srtp }).result;
  const framesSent = clips.map(({ frameCount }) => frameCount);
  expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec, framesSent });
  await phone.until('terminated');
  return { suite: /cryptosuite=(\w+)/.exec(phone.output())?.[1] ?? null, sound: await phone.recording() };
};

/** libre's table answers 2 and -2 for the two μ-law codes of zero, where G.711 has 0; no other code gives these. */
const zeroAsInG711 = (samples: Int16Array): Int16Array =>
  samples.map((sample) => (Math.abs(sample) === 2 ? 0 : sample));

const expectSame = (heard: Int16Array, sent: Int16Array): void => {
  const firstDifference = heard.findIndex((sample, index) => sample !== sent[index]);
  expect({ length: heard.length, firstDifference }).toEqual({ length: sent.length, firstDifference: -1 });
};

interface Loss {
  readonly gainDb: number;
  readonly bandDb: number;
}

/** As loud as the source, in each of its bands too, within what the codec loses; as long, but for what its last frame is filled up with. */
const expectLike = (heard: Sound, { source }: Speech, { gainDb, bandDb }: Loss): void => {
  const found = compareSounds(heard, source);
  expect(Math.abs(found.gainDb)).toBeLessThan(gainDb);
  expect(found.worstBandDb).toBeLessThan(bandDb);
  const fillingMs = found.longerMs - SILENCES.leadInMs - SILENCES.tailMs;
  expect(fillingMs).toBeGreaterThanOrEqual(0);
  expect(fillingMs).toBeLessThan(20);
};

describeWithPeer('baresip', 'baresip-core', () => {
  it.each(['PCMU', 'PCMA'] as const)(
    'hears every sample of the playlist and its silences in %s, first and last included, in the clear and under each suite',
    async (codec) => {
      const clips = [noiseClip('greeting', 60), noiseClip('first', 75), noiseClip('second', 1)];
      const sent = samplesOf(partsOf(clips), codec);
      for (const { sound } of await playUnderEach(codec, clips)) expectSame(zeroAsInG711(sound.samples), sent);
    },
  );

  describeWithPeer('ffmpeg', 'ffmpeg', () => {
    let speech: Speech;
    beforeAll(async () => {
      speech = await ingestSpeech();
    });

    it('hears speech in G.722, and every sample that FFmpeg decodes, in the clear and under each suite', async () => {
      const sent = decodeByFfmpeg(octetsOf(partsOf([speech.clip]), 'G722'));
      for (const { sound } of await playUnderEach('G722', [speech.clip])) {
        expectSame(sound.samples, sent);
        expectLike(sound, speech, { gainDb: 0.5, bandDb: 2 });
      }
    });

    it('hears speech in Opus, in the clear and under each suite', async () => {
      // At 24 kbit/s its voice mode is 1 dB fainter, and up to 3 dB more in a band.
      for (const { sound } of await playUnderEach('opus', [speech.clip]))
        expectLike(sound, speech, { gainDb: 1.5, bandDb: 4 });
    });
  });
});
