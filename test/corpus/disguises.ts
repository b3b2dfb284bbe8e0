import { type BadFile, bytes, NOT_AUDIO } from './bad-file.ts';

/** What sends a reader elsewhere; `url` is listened on, and must never be asked. */
const playlists = (url: string): Readonly<Record<string, string>> => ({
  'm3u8 over http': `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n${url}/a.ts\n#EXT-X-ENDLIST\n`,
  'm3u8 of a file': '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n',
  'm3u8 of data':
    '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\ndata:audio/wav;base64,UklGRgAAAABXQVZF\n#EXT-X-ENDLIST\n',
  'm3u8, concat and subfile': `#EXTM3U\n#EXTINF:10,\nconcat:${url}/a|subfile,,start,0,end,9,,:/etc/passwd\n#EXT-X-ENDLIST\n`,
  'm3u8 with a key': `#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="${url}/key"\n#EXTINF:10,\n${url}/a.ts\n`,
  m3u: `#EXTM3U\n#EXTINF:10,song\n${url}/song.mp3\n`,
  ffconcat: `ffconcat version 1.0\nfile '${url}/a.mp3'\nfile '/etc/passwd'\n`,
  concat: "file '/etc/passwd'\nfile '/etc/hosts'\n",
  pls: `[playlist]\nNumberOfEntries=1\nFile1=${url}/a.mp3\n`,
  asx: `<asx version="3.0"><entry><ref href="${url}/a.mp3"/></entry></asx>`,
  xspf: `<?xml version="1.0"?><playlist><trackList><track><location>${url}/a</location></track></trackList></playlist>`,
  'DASH mpd': `<?xml version="1.0"?><MPD><Period><AdaptationSet><BaseURL>${url}/</BaseURL></AdaptationSet></Period></MPD>`,
  SDP: 'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 5004 RTP/AVP 0\r\n',
  'rtsp text': 'RTSPtextRTSP://127.0.0.1/a',
  ffmetadata: `;FFMETADATA1\ntitle=${url}\n`,
  'XML with an entity': `<!DOCTYPE a [<!ENTITY b SYSTEM "${url}/e">]><a>&b;</a>`,
});

const OTHERS: Readonly<Record<string, string>> = {
  PNG: '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x08\x06\0\0\0',
  JPEG: '\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xdb',
  GIF: 'GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0',
  SVG: '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
  BMP: 'BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0',
  WebP: 'RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0',
  AVI: 'RIFF\x24\0\0\0AVI LIST\x18\0\0\0hdrlavih',
  TIFF: 'II*\0\x08\0\0\0\0\0',
  HTML: '<!DOCTYPE html><html><body><audio src="http://127.0.0.1/"></audio><script>alert(1)</script></body></html>',
  PDF: '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n',
  ZIP: 'PK\x03\x04\x14\0\0\0\x08\0../../etc/passwd',
  gzip: '\x1f\x8b\x08\0\0\0\0\0\0\x03',
  ELF: '\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0>\0',
  'a Windows program': 'MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0',
  'a shell script': '#!/bin/sh\nrm -rf /\n',
  JSON: '{"audio":"no"}',
  MIDI: 'MThd\0\0\0\x06\0\x01\0\x01\0\x60MTrk\0\0\0\x04',
  ASF: '\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c',
  FLV: 'FLV\x01\x05\0\0\0\x09\0\0\0\0',
  'MPEG transport stream': `G@\0\x10${'\xff'.repeat(184)}`.repeat(5),
  RealMedia: '.RMF\0\0\0\x12\0\0\0\0\0\0\0\0\0\x06',
  CAF: 'caff\0\x01\0\0desc\0\0\0\0\0\0\0\x20',
  tar: `../../etc/passwd${'\0'.repeat(241)}ustar\x0000`,
  'a Lua module': '\x1bLua\x53',
};

/** Playlists, images, documents and programs that call themselves audio. */
export const disguises = (url: string): readonly BadFile[] =>
  Object.entries({ ...playlists(url), ...OTHERS }).map(([name, text]) => ({
    name,
    octets: bytes(text),
    status: 415,
    gist: NOT_AUDIO,
  }));
