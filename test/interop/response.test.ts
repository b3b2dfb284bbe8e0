import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadBuiltInGreeting } from '../../src/audio/built-in-greeting.ts';
import { createIngest } from '../../src/audio/ingest.ts';
import { measureLoudness } from '../../src/audio/loudness.ts';
import { CODEC_FRAMES, CODECS } from '../../src/domain/codec.ts';
import { NO_PROCESSING } from '../../src/domain/media.ts';
import type { Ingest } from '../../src/domain/ports.ts';
import { createPlaylist } from '../../src/media/playlist.ts';
import { decodeRendition } from '../support/decode-rendition.ts';
import { sharedRenditions } from '../support/renditions.ts';
import { aliasOf, measureResponse, range } from '../support/response.ts';
import { describeWithPeer } from './peer-program.ts';

const NOTHING = new SharedArrayBuffer(0);
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describeWithPeer('ffmpeg', 'ffmpeg', () => {
  let directory: string;
  let ingest: Ingest;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ringcast-response-'));
    ingest = await createIngest({ scratchDirectory: directory, log: SILENT });
  });
  afterAll(() => rm(directory, { recursive: true }));
  const file = () => ({ ingest, path: join(directory, 'tones.wav') });

  it.each([
    [8000, 'PCMU'],
    [11_025, 'PCMU'],
    [16_000, 'PCMU'],
    [44_100, 'PCMU'],
    [48_000, 'PCMU'],
    [8000, 'G722'],
    [48_000, 'G722'],
    [48_000, 'PCMA'],
    [48_000, 'opus'],
  ] as const)('is flat within 0.5 dB from 300 to 3,400 Hz: %d Hz to %s', async (rateHz, codec) => {
    const frequenciesHz = [...range(300, 3300, 310), 3400];
    for (const { hz, gainDb } of await measureResponse({ ...file(), rateHz, frequenciesHz, codec })) {
      expect(Math.abs(gainDb), `${hz} Hz`).toBeLessThan(0.5);
    }
  });

  it('sounds alike in every codec: as long and as loud as what was sent', async () => {
    const speech = join(import.meta.dirname, '../../assets/sample-2.wav');
    const { frameCount, renditions, loudness } = await ingest(speech, { maxSeconds: 60 }, NO_PROCESSING);
    for (const codec of CODECS) {
      const samples = decodeRendition(codec, renditions[codec]);
      const { sampleRateHz } = CODEC_FRAMES[codec];
      expect(samples.length, codec).toBe((frameCount * sampleRateHz) / 50);
      const heard = Float32Array.from(samples, (sample) => sample / 32_768);
      const levelLufs = await measureLoudness(heard, sampleRateHz);

      expect(Math.abs(levelLufs - (loudness?.lufs ?? 0)), codec).toBeLessThan(1);
    }
  });

  it.each([16_000, 44_100, 48_000])('lets nothing above 4 kHz through as an image: %d Hz to PCMU', async (rateHz) => {
    const highestHz = rateHz * 0.45;
    const frequenciesHz = range(4600, Math.min(highestHz, 20_000), 610).filter((hz) => aliasOf(hz) > 200);
    const images = await measureResponse({ ...file(), rateHz, frequenciesHz, codec: 'PCMU', heardAt: aliasOf });
    for (const { hz, gainDb } of images) expect(gainDb, `image of ${hz} Hz`).toBeLessThan(-60);
  });

  it('is as good as silent between clips of G.722, whatever came before', async () => {
    const { renditions } = await loadBuiltInGreeting();
    const silences = { leadInMs: 0, gapMs: 0, tailMs: 400 };
    const clip = { key: 'clip', mediaId: null, frameCount: 1, renditions: sharedRenditions(() => NOTHING) };
    const silence = new Uint8Array(createPlaylist([clip], silences).parts[1]?.renditions.G722 ?? NOTHING);
    for (const spokenBytes of [0, 7000, 9000, 12_000, renditions.G722.length]) {
      const heard = decodeRendition('G722', Buffer.concat([renditions.G722.subarray(0, spokenBytes), silence]));
      const settled = heard.subarray(2 * spokenBytes + 1600);
      expect(settled.length).toBe(2 * silence.length - 1600);
      expect(settled.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeLessThan(64);
    }
  });

  it('makes no images of 8,000 samples a second in G.722', async () => {
    const frequenciesHz = range(500, 3400, 290);
    const heardAt = (hz: number): number => 8000 - hz;
    const images = await measureResponse({ ...file(), rateHz: 8000, frequenciesHz, codec: 'G722', heardAt });
    for (const { hz, gainDb } of images) expect(gainDb, `image of ${hz} Hz`).toBeLessThan(-60);
  });
});
