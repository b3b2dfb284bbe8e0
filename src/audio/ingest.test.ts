import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { measureTone, tone } from '../../test/support/tones.ts';
import { WAV_FORMATS, wavOf } from '../../test/support/wav-formats.ts';
import { CODECS, renditionBytes } from '../domain/codec.ts';
import { DEFAULT_PROCESSING, type IngestedAudio, NO_PROCESSING } from '../domain/media.ts';
import { decodeAlaw, decodeUlaw, encodeAlaw, encodeUlaw } from '../rtp/g711.ts';
import { writeWav } from '../rtp/wav.ts';
import { createIngest, type RunningIngest } from './ingest.ts';
import { findFfmpeg } from './native-ffmpeg.ts';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const LIMITS = { maxSeconds: 10 };

/** 990 ms, so that the 50 frames they fill bear an error of less than 10 ms either way. */
const SECONDS = 0.99;
const LEVEL_DB = -12;

const ffmpeg = await findFfmpeg(process.env.PATH ?? '');
if (ffmpeg === null) {
  const advice = 'Not tested: native FFmpeg, and all formats but WAV and MP3. Install the Debian package `ffmpeg`.';
  if (process.env.CI) throw new Error(advice);
  console.warn(advice);
}

const DECODERS = [
  { name: 'WebAssembly', ffmpegPath: null },
  ...(ffmpeg === null ? [] : [{ name: 'native FFmpeg', ffmpegPath: ffmpeg }]),
];

const repeat = (part: Buffer, times: number): Buffer => Buffer.concat(Array.from({ length: times }, () => part));

const clip = (rateHz: number): Int16Array => tone({ hz: 1000, rateHz, seconds: SECONDS, levelDb: LEVEL_DB });

/** A tone on both channels, as an encoder of the machine's ffmpeg writes it. */
const encodedBy = (name: string, ...options: string[]): ((path: string) => void) => {
  const wav = wavOf(clip(48_000), { format: 'pcm16', rateHz: 48_000, channels: 2 });
  const args = ['-v', 'error', '-f', 'wav', '-i', 'pipe:0', ...options, '-f', name];
  return (path) => execFileSync(ffmpeg as string, [...args, path], { input: wav });
};

/**
 * Whether a TOC octet announces one frame of 20 ms, mono (RFC 6716 3.1): SILK or hybrid of that length, the stereo
 * bit clear, and one frame (code 0, or code 3 as constant bit rates are padded).
 */
const isOpusFrame = (toc: number): boolean =>
  [1, 5, 9, 13, 15, 19, 23, 27, 31].includes(toc >> 3) && (toc & 4) === 0 && (toc & 3) % 3 === 0;

/** MPEG 1 layer III, 32 kbit/s at 44,100 Hz, of nothing but zeros: 104 octets of silence for 1,152 samples. */
const silentMp3 = (seconds: number): Buffer => {
  const frame = Buffer.concat([Buffer.from('fffb10c4', 'hex')], 104);
  const frames = Math.ceil((seconds * 44_100) / 1152);
  return Buffer.alloc(frame.length * frames, frame);
};

const tagged = (mp3: Buffer): Buffer => {
  const rubbish = Buffer.alloc(2000, 'rubbish ');
  const tag = Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\x0f\x50', 'latin1'), rubbish]);
  return Buffer.concat([tag, Buffer.alloc(700), mp3, rubbish, Buffer.alloc(128, 'TAG')]);
};

const MANY_WAVS = [
  ...WAV_FORMATS.map((format) => ({ format, rateHz: 48_000, channels: 2 })),
  ...[8000, 11_025, 16_000, 22_050].map((rateHz) => ({ format: 'pcm16' as const, rateHz, channels: 1 })),
];
/** Enough for WebAssembly, which is slow to start: docs/formats.md has all of them side by side. */
const FEW_WAVS = [
  { format: 'pcm16' as const, rateHz: 44_100, channels: 1 },
  { format: 'float32' as const, rateHz: 48_000, channels: 6 },
];

describe.each(DECODERS)('ingest by $name', ({ ffmpegPath }) => {
  let directory: string;
  let scratchDirectory: string;
  let path: string;
  let ingest: RunningIngest;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ringcast-ingest-'));
    scratchDirectory = await mkdtemp(join(directory, 'scratch-'));
    path = join(directory, 'upload');
    ingest = await createIngest({ scratchDirectory, ffmpegPath, log: SILENT });
  });
  afterEach(async () => {
    expect(await readdir(scratchDirectory)).toEqual([]);
    expect(process.getActiveResourcesInfo()).not.toContain('ProcessWrap');
    await rm(path, { force: true });
  });
  afterAll(() => rm(directory, { recursive: true }));

  const ingestOctets = async (octets: Uint8Array, limits = LIMITS): Promise<IngestedAudio> => {
    await writeFile(path, octets);
    return ingest(path, limits, NO_PROCESSING);
  };

  const expectTone = ({ frameCount, renditions }: IngestedAudio, mostFrames = 50): void => {
    expect(frameCount).toBeGreaterThanOrEqual(50);
    expect(frameCount).toBeLessThanOrEqual(mostFrames);
    for (const samples of [decodeUlaw(renditions.PCMU), decodeAlaw(renditions.PCMA)]) {
      expect(samples).toHaveLength(frameCount * 160);
      const { levelDb, share } = measureTone(samples.subarray(800, 7200), 1000, 8000);
      expect(Math.abs(levelDb - LEVEL_DB)).toBeLessThan(0.5);
      expect(share).toBeGreaterThan(0.998);
    }
  };

  it('says which decoder it is', () => {
    expect(ingest.describeDecoder()).toMatch(ffmpegPath === null ? /WebAssembly/ : /^native FFmpeg .+\/ffmpeg\)$/);
  });

  it('passes 8 kHz, 16 bits, mono unchanged, but for silence up to a whole frame', async () => {
    const samples = Int16Array.from({ length: 65_536 }, (_, i) => (i * 40_503) % 65_536);
    const padded = new Int16Array(65_600);
    padded.set(samples);
    const { frameCount, renditions, type } = await ingestOctets(writeWav(samples, 8000));
    expect({ frameCount, type }).toEqual({ frameCount: 410, type: 'audio/wav' });
    expect(Buffer.from(encodeUlaw(padded)).equals(renditions.PCMU)).toBe(true);
    expect(Buffer.from(encodeAlaw(padded)).equals(renditions.PCMA)).toBe(true);
  });

  it.each(ffmpegPath === null && ffmpeg !== null ? FEW_WAVS : [...MANY_WAVS, ...FEW_WAVS])(
    'keeps the tone of WAV $format, $rateHz Hz, $channels channels',
    async ({ format, rateHz, channels }) => {
      expectTone(await ingestOctets(wavOf(clip(rateHz), { format, rateHz, channels })));
    },
  );

  it('gives every codec the same number of whole frames, each packet of Opus 20 ms of mono', async () => {
    const { frameCount, renditions } = await ingestOctets(
      wavOf(clip(44_100), { format: 'pcm16', rateHz: 44_100, channels: 2 }),
    );
    for (const codec of CODECS) expect(renditions[codec].length, codec).toBe(renditionBytes(codec, frameCount));
    for (let at = 0; at < renditions.opus.length; at += 60)
      expect(isOpusFrame(renditions.opus[at] as number)).toBe(true);
  });

  it('counts the frames of AMR wideband, which nothing here can write', async () => {
    const frame = Buffer.concat([Uint8Array.of(0x04)], 18); // 6.60 kbit/s, 132 bits (RFC 4867 5.3)
    const { frameCount, type } = await ingestOctets(Buffer.concat([Buffer.from('#!AMR-WB\n'), repeat(frame, 50)]));
    expect({ frameCount, type }).toEqual({ frameCount: 50, type: 'audio/amr-wb' });
  });

  it('takes a WAV whose length its writer did not know', async () => {
    const file = Buffer.from(writeWav(clip(8000), 8000));
    file.writeUInt32LE(0xffffffff, 4);
    file.writeUInt32LE(0xffffffff, 40);
    expectTone(await ingestOctets(file));
  });

  it('takes an MP3 among rubbish', async () => {
    const { frameCount, renditions, type } = await ingestOctets(tagged(silentMp3(1)));
    expect(type).toBe('audio/mpeg');
    expect(Math.abs(frameCount - 51)).toBeLessThanOrEqual(3);
    expect(decodeUlaw(renditions.PCMU).every((sample) => sample === 0)).toBe(true);
  });

  it.skipIf(ffmpeg === null).each([
    ['MP3', 'audio/mpeg', encodedBy('mp3', '-b:a', '64k')],
    ['Ogg Opus', 'audio/ogg', encodedBy('ogg', '-c:a', 'libopus')],
    ['Ogg Vorbis', 'audio/ogg', encodedBy('ogg', '-c:a', 'libvorbis')],
    ['FLAC', 'audio/flac', encodedBy('flac', '-ar', '44100')],
    ['ALAC', 'audio/mp4', encodedBy('ipod', '-c:a', 'alac')],
    ['WebM Opus', 'audio/webm', encodedBy('webm', '-c:a', 'libopus')],
    ['AIFF', 'audio/aiff', encodedBy('aiff')],
    ['AU', 'audio/basic', encodedBy('au', '-c:a', 'pcm_mulaw')],
    ['RF64', 'audio/wav', encodedBy('wav', '-rf64', 'always')],
  ])('keeps the tone of %s', async (_, type, encodeTo) => {
    encodeTo(path);
    const audio = await ingest(path, LIMITS, NO_PROCESSING);
    expect(audio.type).toBe(type);
    expectTone(audio);
  });

  it.skipIf(ffmpeg === null).each([
    ['AAC in M4A', 51, encodedBy('ipod', '-c:a', 'aac')],
    ['AAC in ADTS', 53, encodedBy('adts', '-c:a', 'aac')],
    ['IMA ADPCM in WAV', 52, encodedBy('wav', '-c:a', 'adpcm_ima_wav')],
  ])('keeps the tone of %s, though its last block may be padded', async (_, mostFrames, encodeTo) => {
    encodeTo(path);
    expectTone(await ingest(path, LIMITS, NO_PROCESSING), mostFrames);
  });

  it.skipIf(ffmpeg === null)('takes a FLAC with an ID3v1 tag behind it', async () => {
    encodedBy('flac')(path);
    await appendFile(path, Buffer.alloc(128, 'TAG'));
    expectTone(await ingest(path, LIMITS, NO_PROCESSING));
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['text', Buffer.from('This is no audio.\n'.repeat(1000))],
    ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['a WAV that was cut short', writeWav(clip(8000), 8000).subarray(0, 5000)],
    ['a WAV of no samples', writeWav(new Int16Array(0), 8000)],
    ['a WAV of no known coding', Buffer.from(writeWav(clip(8000), 8000)).fill(0x77, 20, 22)],
    ['a WAV at 0 Hz', Buffer.from(writeWav(clip(8000), 8000)).fill(0, 24, 28)],
    ['a signature and noise', Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(9000, 'no audio')])],
    ['an MP4 that holds a playlist', Buffer.from('\0\0\0\x10ftypM4A \0\0\0\0#EXTM3U\n', 'latin1')],
  ])('refuses %s as no audio, and says what to send', async (_, octets) => {
    await expect(ingestOctets(octets)).rejects.toMatchObject({
      code: 'not_audio',
      message: expect.stringMatching(/^The .+\. Send a whole WAV, MP3/),
    });
  });

  it.skipIf(ffmpeg === null).each([
    ['FLAC', encodedBy('flac')],
    ['M4A, its table in front', encodedBy('ipod', '-c:a', 'aac', '-movflags', '+faststart')],
    ['M4A, its table at the end', encodedBy('ipod', '-c:a', 'aac')],
    ['AIFF', encodedBy('aiff')],
    ['AU', encodedBy('au')],
  ])('refuses a file that was cut short: %s', async (_, encodeTo) => {
    encodeTo(path);
    const whole = await readFile(path);
    const cut = whole.subarray(0, Math.floor(whole.length * 0.6));
    await expect(ingestOctets(cut)).rejects.toMatchObject({ code: 'not_audio' });
  });

  it('takes exactly as many seconds as allowed, and refuses a sample more', async () => {
    const { frameCount } = await ingestOctets(writeWav(new Int16Array(16_000), 8000), { maxSeconds: 2 });
    expect(frameCount).toBe(100);
    await expect(ingestOctets(writeWav(new Int16Array(16_001), 8000), { maxSeconds: 2 })).rejects.toMatchObject({
      code: 'upload_too_long',
      message: 'The recording is longer than the 2 seconds that are allowed.',
    });
  });

  it('refuses an hour of MP3 without decoding it all', async () => {
    await expect(ingestOctets(silentMp3(3600), { maxSeconds: 60 })).rejects.toMatchObject({ code: 'upload_too_long' });
  });

  it('answers several uploads at once, each with its own audio', async () => {
    const lengths = [1, 2, 3, 4, 5];
    const paths = lengths.map((length) => join(directory, `upload-${length}`));
    await Promise.all(paths.map((file, i) => writeFile(file, writeWav(new Int16Array((i + 1) * 160), 8000))));
    const clips = await Promise.all(paths.map((file) => ingest(file, LIMITS, NO_PROCESSING)));
    expect(clips.map(({ frameCount }) => frameCount)).toEqual(lengths);
  });
});

it('makes the built-in greeting out of its source', async () => {
  const scratchDirectory = await mkdtemp(join(tmpdir(), 'ringcast-greeting-'));
  const asset = (name: string): string => fileURLToPath(new URL(`../../assets/${name}`, import.meta.url));
  const ingest = await createIngest({ scratchDirectory, ffmpegPath: null, log: SILENT });
  const { renditions } = await ingest(asset('greeting.wav'), LIMITS, DEFAULT_PROCESSING);
  for (const codec of CODECS) {
    expect((await readFile(asset(`greeting.${codec.toLowerCase()}`))).equals(renditions[codec]), codec).toBe(true);
  }
  await rm(scratchDirectory, { recursive: true });
});
