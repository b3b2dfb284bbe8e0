import { type BadFile, be32, box, bytes, NOT_AUDIO } from './bad-file.ts';
import type { GoodFiles } from './good-files.ts';

const ZIP = 'PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0aPK\x05\x06';
const HTML = '<html><script>fetch("http://127.0.0.1/")</script></html>';

/** A reference movie: MP4 that says where its sound is to be had (QuickTime File Format, `rdrf`). */
const FTYP = box('ftyp', bytes('qt  ', be32(0), 'qt  '));
const referenceMovie = (url: string) =>
  bytes(
    FTYP,
    box('moov', box('rmra', box('rmda', box('rdrf', bytes(be32(0), 'url ', be32(url.length + 1), url, [0]))))),
  );

const AROUND_URL = ['moov', 'trak', 'mdia', 'minf', 'dinf', 'dref', 'url '];

/** An M4A whose data reference names a URL; its sound is where it was, for those who look. */
const elsewhere = ({ m4a }: GoodFiles, url: string): Uint8Array<ArrayBuffer> => {
  const text = bytes(url, [0]);
  const grown = Buffer.from(m4a);
  for (const name of AROUND_URL) {
    const at = grown.indexOf(name, 0, 'latin1') - 4;
    grown.writeUInt32BE(grown.readUInt32BE(at) + text.length, at);
  }
  const at = grown.indexOf('url ', 0, 'latin1') + 4;
  return bytes(grown.subarray(0, at), be32(0), text, grown.subarray(at + 4));
};

/** Files that are two things at once. What is sound in them may be taken; the rest must stay without effect. */
export const polyglots = (good: GoodFiles, url: string): readonly BadFile[] => [
  { name: 'WAV and ZIP', octets: bytes(good.wav, ZIP), status: 201 },
  { name: 'ZIP and WAV', octets: bytes(ZIP, good.wav), status: 415, gist: NOT_AUDIO },
  { name: 'MP3 and HTML', octets: bytes(good.mp3, HTML), status: 201 },
  { name: 'HTML and MP3', octets: bytes(HTML, good.mp3), status: 201 },
  { name: 'PDF and MP3', octets: bytes('%PDF-1.7\n', good.mp3), status: 201 },
  { name: 'm3u8 and MP3', octets: bytes(`#EXTM3U\n#EXTINF:1,\n${url}/a\n`, good.mp3), status: 201 },
  { name: 'ffconcat and MP3', octets: bytes(`ffconcat version 1.0\nfile ${url}/a\n`, good.mp3), status: 201 },
  { name: 'm3u8 and WAV', octets: bytes(`#EXTM3U\n${url}/a\n`, good.wav), status: 415, gist: NOT_AUDIO },
  { name: 'GIF and WAV', octets: bytes('GIF89a', good.wav), status: 415, gist: NOT_AUDIO },
  { name: 'ELF and MP3', octets: bytes('\x7fELF\x02\x01\x01\0', good.mp3), status: 201 },
  { name: 'FLAC and FLAC', octets: bytes(good.flac, good.flac), status: 201 },
  { name: 'WAV and MP3', octets: bytes(good.wav, good.mp3), status: 201 },
  { name: 'a shell script and MP3', octets: bytes('#!/bin/sh\ntouch /tmp/pwned\n', good.mp3), status: 201 },
  { name: 'MOV that points elsewhere by rdrf', octets: referenceMovie(`${url}/a.mov`), status: 415 },
  { name: 'MOV that points to a file by rdrf', octets: referenceMovie('file:///etc/passwd'), status: 415 },
  { name: 'M4A that points elsewhere by dref', octets: elsewhere(good, url), status: 201 },
];

const NAMES = [
  '../../../../tmp/ringcast-escaped.wav',
  '..\\..\\ringcast-escaped.wav',
  '/tmp/ringcast-escaped.wav',
  'C:\\ringcast-escaped.wav',
  '%2e%2e%2fringcast-escaped.wav',
  'a;touch ringcast-escaped.wav',
  '$(touch ringcast-escaped).wav',
  '-i /etc/passwd.wav',
  'http:ringcast-escaped.wav',
  'concat:ringcast-escaped.wav',
  'line\r\nbreak.wav',
  'null\0octet.wav',
  '.',
  `${'long'.repeat(2000)}.wav`,
];

/** Whole files under names that would be paths, options, protocols or commands to a program that took them. */
export const strangeNames = ({ wav }: GoodFiles): readonly BadFile[] =>
  NAMES.map((fileName) => ({
    name: `named ${JSON.stringify(fileName.slice(0, 50))}`,
    octets: bytes(wav),
    status: 201,
    fileName,
  }));
