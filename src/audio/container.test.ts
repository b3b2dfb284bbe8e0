import { describe, expect, it } from 'vitest';
import { type Container, recogniseContainer } from './container.ts';
import { octetsIn } from './octets.ts';

const recognise = (octets: Uint8Array): Promise<Container | null> => recogniseContainer(octetsIn(octets));

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

const frame = (header: string, bytes: number): Buffer => Buffer.concat([Buffer.from(header, 'hex')], bytes);
const repeat = (part: Buffer, times: number): Buffer => Buffer.concat(Array.from({ length: times }, () => part));

/** MPEG 1 layer III, 128 kbit/s at 44,100 Hz: 417 octets. */
const MP3 = frame('fffb9064', 417);
/** MPEG 2 layer III, 64 kbit/s at 22,050 Hz: 208 octets. */
const MP3_LOW = frame('fff38064', 208);
/** MPEG 2.5 layer III, 32 kbit/s at 8,000 Hz: 288 octets. */
const MP3_LOWEST = frame('ffe34864', 288);
/** MPEG 1 layer II, 192 kbit/s at 48,000 Hz: 576 octets. */
const MP2 = frame('fffda400', 576);
/** AAC LC, 44,100 Hz, mono, 100 octets. */
const ADTS = frame('fff150400c800000', 100);

const tag = (bytes: number): Buffer => {
  const size = [21, 14, 7, 0].map((shift) => (bytes >> shift) & 0x7f);
  return Buffer.concat([latin1('ID3\x04\0\0'), Buffer.from(size)], 10 + bytes);
};

/** Octets that look like noise, the same every time. */
const noise = (bytes: number): Uint8Array => {
  let state = 1;
  return Uint8Array.from({ length: bytes }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
};

describe('recogniseContainer', () => {
  it.each([
    ['wav', 'audio/wav', latin1('RIFF\0\0\0\0WAVEfmt ')],
    ['wav', 'audio/wav', latin1('RF64\xff\xff\xff\xffWAVEds64')],
    ['ogg', 'audio/ogg', latin1('OggS\0')],
    ['flac', 'audio/flac', latin1('fLaC\0')],
    ['flac', 'audio/flac', Buffer.concat([tag(20), latin1('fLaC\0')])],
    ['mov', 'audio/mp4', latin1('\0\0\0\x20ftypM4A ')],
    ['matroska', 'audio/webm', latin1('\x1a\x45\xdf\xa3\x9f')],
    ['amr', 'audio/amr', latin1('#!AMR\n<')],
    ['amr', 'audio/amr-wb', latin1('#!AMR-WB\n<')],
    ['aiff', 'audio/aiff', latin1('FORM\0\0\0\0AIFFCOMM')],
    ['aiff', 'audio/aiff', latin1('FORM\0\0\0\0AIFCFVER')],
    ['au', 'audio/basic', latin1('.snd\0\0\0\x18')],
    ['gsm', 'audio/x-gsm', repeat(Buffer.alloc(33, '\xd2rest', 'latin1'), 10)],
  ])('knows %s (%s) by its signature', async (demuxer, type, octets) => {
    expect(await recognise(octets)).toMatchObject({ demuxer, type });
  });

  it.each([
    ['MPEG 1 layer III', repeat(MP3, 3)],
    ['MPEG 2 layer III', repeat(MP3_LOW, 3)],
    ['MPEG 2.5 layer III', repeat(MP3_LOWEST, 3)],
    ['MPEG 1 layer II', repeat(MP2, 3)],
    ['two frames that are all there is', repeat(MP3, 2)],
    ['frames behind a tag', Buffer.concat([tag(300), repeat(MP3, 3)])],
    ['frames behind two tags, one with a picture', Buffer.concat([tag(300), tag(200_000), repeat(MP3, 3)])],
    ['frames behind rubbish', Buffer.concat([noise(5000), repeat(MP3, 3)])],
    ['frames before rubbish', Buffer.concat([repeat(MP3, 3), noise(500)])],
  ])('knows MP3: %s', async (_, octets) => {
    expect(await recognise(octets)).toMatchObject({ demuxer: 'mp3', type: 'audio/mpeg' });
  });

  it('tells where the container begins', async () => {
    expect(await recognise(Buffer.concat([tag(300), tag(200), repeat(MP3, 3)]))).toMatchObject({ start: 520 });
  });

  it('knows AAC in ADTS', async () => {
    expect(await recognise(repeat(ADTS, 3))).toEqual({ demuxer: 'aac', type: 'audio/aac', start: 0 });
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['one octet', Uint8Array.of(0xff)],
    ['text', latin1('Dear caller, this is no audio. '.repeat(100))],
    ['a playlist', latin1('#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1/clip.mp3\n')],
    ['a concat script', latin1("ffconcat version 1.0\nfile '/etc/passwd'\n")],
    ['a PNG image', latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
    ['a JPEG image', Buffer.concat([latin1('\xff\xd8\xff\xe0\0\x10JFIF\0'), noise(60_000)])],
    ['an AVI film', latin1('RIFF\0\0\0\0AVI LIST')],
    ['noise', noise(64 * 1024)],
    ['octets of 255', new Uint8Array(10_000).fill(0xff)],
    ['one MP3 frame alone', MP3],
    ['frames of different streams', Buffer.concat([MP3, MP3_LOW, MP2])],
    ['a tag and no more', tag(300)],
    ['a tag longer than the file', Buffer.concat([tag(300).subarray(0, 100)])],
  ])('does not know %s', async (_, octets) => {
    expect(await recognise(octets)).toBeNull();
  });
});
