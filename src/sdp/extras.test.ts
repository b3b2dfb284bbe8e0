import { describe, expect, test } from 'vitest';
import { type AudioCodec, offeredCodecs } from './audio-codec.ts';
import { type CryptoLine, cryptoLineOf } from './crypto-line.ts';
import { type LocalDescription, revise } from './description.ts';
import {
  answerExtras,
  offerExtras,
  type Reading,
  type ReadOptions,
  readAnswer,
  readOffer,
  type SrtpPolicy,
  writeAnswer,
  writeOffer,
} from './offer-answer.ts';

const ALL: readonly AudioCodec[] = ['opus', 'G722', 'PCMU', 'PCMA'];
const octetsOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const line = (tag: number, suite: CryptoLine['keying']['suite'], fill: number): CryptoLine =>
  cryptoLineOf(tag, suite, new Uint8Array(44).fill(fill));
const OURS = [line(1, 'AEAD_AES_128_GCM', 1), line(2, 'AES_CM_128_HMAC_SHA1_80', 2)];

const describeUs = (srtp: SrtpPolicy, codecs: readonly AudioCodec[] = ALL): LocalDescription<AudioCodec> => ({
  sessionId: '1',
  version: 1,
  address: '192.0.2.1',
  port: 16_384,
  codecs: offeredCodecs(codecs),
  direction: 'sendrecv',
  extras: offerExtras(codecs, srtp, OURS),
});

const sdp = (...media: readonly string[]): Uint8Array =>
  octetsOf(['v=0', 'o=- 1 1 IN IP4 198.51.100.1', 's=-', 'c=IN IP4 198.51.100.1', 't=0 0', ...media, ''].join('\r\n'));
const read = (octets: Uint8Array, options: Partial<ReadOptions<AudioCodec>> = {}): Reading<AudioCodec> =>
  readAnswer(octets, { codecs: ALL, allowLoopback: false, rtcpMux: true, offeredCrypto: OURS, ...options });
const mediaOf = (reading: Reading<AudioCodec>) => {
  if (!reading.ok) throw new Error(reading.problem);
  return reading.media;
};
const problemOf = (reading: Reading<AudioCodec>): string => (reading.ok ? 'none' : reading.problem);

describe('an offer of everything', () => {
  test('codecs in the order of the trunk, telephone-events on both clocks, RTCP on one port', () => {
    const lines = writeOffer(describeUs('off')).split('\r\n').slice(5);
    expect(lines).toEqual([
      'm=audio 16384 RTP/AVP 111 9 0 8 101 102',
      'a=rtpmap:111 opus/48000/2',
      'a=rtpmap:9 G722/8000',
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:101 telephone-event/8000',
      'a=rtpmap:102 telephone-event/48000',
      'a=fmtp:111 useinbandfec=1;stereo=0;sprop-stereo=0',
      'a=fmtp:101 0-16',
      'a=fmtp:102 0-16',
      'a=ptime:20',
      'a=sendrecv',
      'a=rtcp-mux',
      '',
    ]);
  });

  test('telephone-events on the clock of Opus only beside Opus', () => {
    expect(writeOffer(describeUs('off', ['PCMA']))).toContain('m=audio 16384 RTP/AVP 8 101\r\n');
    expect(writeOffer(describeUs('off', ['opus']))).toContain('m=audio 16384 RTP/AVP 111 102\r\n');
  });

  test('SRTP required: the secure profile; preferred: the plain one with keys; off: neither', () => {
    const crypto = 'a=crypto:1 AEAD_AES_128_GCM inline:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ==\r\na=crypto:2 AES_CM_';
    expect(writeOffer(describeUs('required'))).toMatch(/^m=audio 16384 RTP\/SAVP /m);
    expect(writeOffer(describeUs('required'))).toContain(crypto);
    expect(writeOffer(describeUs('preferred'))).toMatch(/^m=audio 16384 RTP\/AVP /m);
    expect(writeOffer(describeUs('preferred'))).toContain(crypto);
    expect(writeOffer(describeUs('off'))).not.toContain('crypto');
  });

  test('a change of the extras counts the version on', () => {
    const local = describeUs('preferred');
    expect(revise(local, { extras: offerExtras(ALL, 'preferred', OURS) })).toBe(local);
    expect(revise(local, { extras: offerExtras(ALL, 'off', []) }).version).toBe(2);
  });
});

describe('reading', () => {
  test.each([
    [[], 20],
    [['a=ptime:30'], 30],
    [['a=ptime:60'], 60],
    [['a=ptime:10'], 10],
    [['a=ptime:120'], 60],
    [['a=ptime:1'], 10],
    [['a=ptime:0'], 20],
    [['a=maxptime:10'], 10],
    [['a=ptime:40', 'a=maxptime:30'], 30],
    [['a=ptime:20', 'a=maxptime:150'], 20],
    [['a=ptime:20.5'], 20],
    [['a=ptime:1.2.3'], 20],
  ])('packet time of %j: %i ms', (lines, packetTimeMs) => {
    expect(mediaOf(read(sdp('m=audio 4000 RTP/AVP 0', ...lines)))).toMatchObject({ packetTimeMs });
  });

  test('Opus goes in whole frames of 20 ms', () => {
    const opus = ['m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 OPUS/48000/2'];
    expect(mediaOf(read(sdp(...opus, 'a=ptime:30')))).toMatchObject({
      codec: 'opus',
      payloadType: 96,
      packetTimeMs: 20,
    });
    expect(mediaOf(read(sdp(...opus, 'a=ptime:60')))).toMatchObject({ packetTimeMs: 60 });
  });

  test.each(['a=rtpmap:96 opus/48000', 'a=rtpmap:96 G722/8000/1'])('%s will do', (rtpmap) => {
    expect(read(sdp('m=audio 4000 RTP/AVP 96', rtpmap)).ok).toBe(true);
  });

  test.each([
    'a=rtpmap:96 opus/48000/1',
    'a=rtpmap:96 opus/16000/2',
    'a=rtpmap:96 PCMU/8000/2',
    'a=rtpmap:96 G722/16000',
  ])('%s will not', (rtpmap) => {
    expect(problemOf(read(sdp('m=audio 4000 RTP/AVP 96', rtpmap)))).toMatch(/no codec in common/);
  });

  test('111 without its rtpmap is not Opus', () => {
    expect(problemOf(read(sdp('m=audio 4000 RTP/AVP 111')))).toMatch(/no codec in common/);
  });

  test('telephone-event: on the clock of the voice, else any, and only if the m= line has it', () => {
    const events = ['a=rtpmap:101 telephone-event/48000', 'a=rtpmap:100 Telephone-Event/8000'];
    const found = (...media: string[]) => mediaOf(read(sdp(...media))).telephoneEvent;
    expect(found('m=audio 4 RTP/AVP 0 101 100', ...events)).toEqual({ payloadType: 100, clockRateHz: 8_000 });
    expect(found('m=audio 4 RTP/AVP 0 101', ...events)).toEqual({ payloadType: 101, clockRateHz: 48_000 });
    expect(found('m=audio 4 RTP/AVP 0', ...events)).toBeNull();
  });

  test.each([
    ['the next port up', [], { address: '198.51.100.1', port: 4_001 }, false],
    ['a port of its own (RFC 3605)', ['a=rtcp:53020'], { address: '198.51.100.1', port: 53_020 }, false],
    ['an address of its own', ['a=rtcp:9 IN IP6 2001:db8::9'], { address: '2001:db8::9', port: 9 }, false],
    ['the port of RTP (RFC 5761)', ['a=rtcp-mux', 'a=rtcp:4000'], { address: '198.51.100.1', port: 4_000 }, true],
    ['nowhere: port 0', ['a=rtcp:0'], null, false],
    ['nowhere: multicast', ['a=rtcp:9 IN IP4 224.0.0.1'], null, false],
    ['nowhere: this machine', ['a=rtcp:9 IN IP4 127.0.0.1'], null, false],
  ])('RTCP goes to %s', (_, lines, rtcp, isRtcpMux) => {
    expect(mediaOf(read(sdp('m=audio 4000 RTP/AVP 0', ...lines)))).toMatchObject({ rtcp, isRtcpMux });
  });

  test('RTCP has no port above the last, and shares none unless we offered that', () => {
    expect(mediaOf(read(sdp('m=audio 65535 RTP/AVP 0'))).rtcp).toBeNull();
    const media = mediaOf(read(sdp('m=audio 4000 RTP/AVP 0', 'a=rtcp-mux'), { rtcpMux: false }));
    expect(media).toMatchObject({ isRtcpMux: false, rtcp: { port: 4_001 } });
  });
});

describe('a new offer of the peer', () => {
  const OFFER = sdp(
    'm=audio 4 RTP/AVP 8 0 101',
    'a=rtpmap:101 telephone-event/8000',
    'm=audio 6 RTP/SAVP 0 97',
    'a=rtpmap:97 telephone-event/8000',
    'a=rtcp-mux',
    `a=crypto:5 AES_256_CM_HMAC_SHA1_80 inline:${Buffer.alloc(46).toString('base64')}`,
    `a=crypto:6 AES_CM_128_HMAC_SHA1_80 inline:${Buffer.alloc(30).toString('base64')}`,
  );
  const options = { codecs: ALL, allowLoopback: false, rtcpMux: true };
  const answerTo = (offer: Uint8Array, srtp: SrtpPolicy): string[] => {
    const media = mediaOf(readOffer(offer, { ...options, srtp }));
    const crypto = media.crypto && line(media.crypto.tag, media.crypto.keying.suite, 3);
    const codecs = [{ codec: media.codec, payloadType: media.payloadType }];
    const local = { ...describeUs(srtp), codecs, extras: answerExtras(media, crypto) };
    return writeAnswer(offer, local).split('\r\n').slice(5, -1);
  };

  test('with SRTP: the secure stream, its own line answered, the plain one refused', () => {
    expect(answerTo(OFFER, 'preferred')).toEqual([
      'm=audio 0 RTP/AVP 8',
      'm=audio 16384 RTP/SAVP 0 97',
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:97 telephone-event/8000',
      'a=fmtp:97 0-16',
      `a=crypto:6 AES_CM_128_HMAC_SHA1_80 inline:${Buffer.alloc(30, 3).toString('base64')}`,
      'a=ptime:20',
      'a=sendrecv',
      'a=rtcp-mux',
    ]);
  });

  test('without: the plain stream', () => {
    expect(answerTo(OFFER, 'off').slice(0, 2)).toEqual(['m=audio 16384 RTP/AVP 8 101', 'a=rtpmap:8 PCMA/8000']);
  });

  test('with suites that nobody here knows, under the plain profile: plain voice if SRTP is only preferred', () => {
    const offer = sdp(
      'm=audio 4 RTP/AVP 0',
      `a=crypto:1 F8_128_HMAC_SHA1_80 inline:${Buffer.alloc(30).toString('base64')}`,
    );
    expect(mediaOf(readOffer(offer, { ...options, srtp: 'preferred' })).crypto).toBeNull();
    expect(problemOf(readOffer(offer, { ...options, srtp: 'required' }))).toMatch(/SRTP is required/);
  });

  test('hold in its three ways, and off hold with another codec', () => {
    const directionOf = (...lines: string[]) =>
      mediaOf(readOffer(sdp('m=audio 4 RTP/AVP 0', ...lines), options)).direction;
    expect(directionOf('a=sendonly')).toBe('sendonly');
    expect(directionOf('a=inactive')).toBe('inactive');
    expect(directionOf('c=IN IP4 0.0.0.0')).toBe('inactive');
    expect(directionOf('c=IN IP6 ::', 'a=sendrecv')).toBe('inactive');
    expect(mediaOf(readOffer(sdp('m=audio 4 RTP/AVP 9'), options))).toMatchObject({
      codec: 'G722',
      direction: 'sendrecv',
    });
  });
});
