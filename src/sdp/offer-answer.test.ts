import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { offeredCodecs } from './audio-codec.ts';
import { type LocalDescription, revise } from './description.ts';
import {
  answerExtras,
  mirrored,
  type Reading,
  readAnswer,
  readOffer,
  writeAnswer,
  writeOffer,
} from './offer-answer.ts';

const octetsOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const BOTH = { codecs: ['PCMU', 'PCMA'], allowLoopback: false } as const;

const LOCAL: LocalDescription = {
  sessionId: '123456789012345678901',
  version: 1,
  address: '192.0.2.1',
  port: 16_384,
  codecs: offeredCodecs(['PCMU', 'PCMA']),
  direction: 'sendrecv',
};

const sdp = (...media: readonly string[]): string =>
  ['v=0', 'o=- 1 1 IN IP4 198.51.100.1', 's=-', 'c=IN IP4 198.51.100.1', 't=0 0', ...media, ''].join('\r\n');

const problemOf = (reading: Reading): string => (reading.ok ? 'none' : reading.problem);

describe('an offer', () => {
  test('has the codecs in order, 20 ms, both directions', () => {
    expect(writeOffer({ ...LOCAL, codecs: offeredCodecs(['PCMA', 'PCMU']) })).toBe(
      [
        'v=0',
        'o=- 123456789012345678901 1 IN IP4 192.0.2.1',
        's=-',
        'c=IN IP4 192.0.2.1',
        't=0 0',
        'm=audio 16384 RTP/AVP 8 0',
        'a=rtpmap:8 PCMA/8000',
        'a=rtpmap:0 PCMU/8000',
        'a=ptime:20',
        'a=sendrecv',
        '',
      ].join('\r\n'),
    );
  });

  test('IPv6', () => {
    expect(writeOffer({ ...LOCAL, address: '2001:db8::1' })).toContain('c=IN IP6 2001:db8::1\r\n');
  });

  test('its version counts on with a change, and only then (RFC 3264 8)', () => {
    expect(revise(LOCAL, {})).toBe(LOCAL);
    expect(revise(LOCAL, { port: LOCAL.port, codecs: offeredCodecs(['PCMU', 'PCMA']) })).toBe(LOCAL);
    expect(revise(LOCAL, { direction: 'recvonly' }).version).toBe(2);
    expect(revise(LOCAL, { codecs: offeredCodecs(['PCMA', 'PCMU']) }).version).toBe(2);
    expect(revise(revise(LOCAL, { port: 4 }), { address: '192.0.2.9' })).toMatchObject({
      version: 3,
      sessionId: LOCAL.sessionId,
    });
  });
});

describe('reading an answer', () => {
  const read = (text: string, codecs: readonly ('PCMU' | 'PCMA')[] = ['PCMU', 'PCMA']): Reading =>
    readAnswer(octetsOf(text), { codecs, allowLoopback: false });

  test('codec, payload type, address, port and direction', () => {
    expect(read(sdp('m=audio 4000 RTP/AVP 8 0'))).toMatchObject({
      ok: true,
      media: { codec: 'PCMA', payloadType: 8, address: '198.51.100.1', port: 4000, direction: 'sendrecv' },
    });
  });

  test("the section's own address and direction win over the session's", () => {
    const text = sdp('a=sendonly', 'm=audio 4000 RTP/AVP 0', 'c=IN IP6 2001:db8::5', 'a=recvonly');
    expect(read(text)).toMatchObject({ media: { address: '2001:db8::5', direction: 'recvonly' } });
    expect(read(sdp('a=inactive', 'm=audio 4000 RTP/AVP 0'))).toMatchObject({ media: { direction: 'inactive' } });
  });

  test('rtpmap decides: another name, letter case or rate', () => {
    expect(read(sdp('m=audio 4 RTP/AVP 96 0', 'a=rtpmap:96 pcma/8000'))).toMatchObject({
      media: { codec: 'PCMA', payloadType: 96 },
    });
    expect(read(sdp('m=audio 4 RTP/AVP 0', 'a=rtpmap:0 PCMU/16000'))).toMatchObject({ ok: false });
    expect(read(sdp('m=audio 4 RTP/AVP 0', 'a=rtpmap:0 G729/8000'))).toMatchObject({ ok: false });
  });

  test('only what was offered may be chosen', () => {
    expect(read(sdp('m=audio 4 RTP/AVP 0 8'), ['PCMA'])).toMatchObject({ media: { codec: 'PCMA', payloadType: 8 } });
  });

  test('line feeds alone, and lines nobody knows', () => {
    const text = sdp('a=x-strange:1', 'm=audio 4 RTP/AVP 0', 'a=rtpmap:101 telephone-event/8000');
    expect(read(text.replaceAll('\r\n', '\n')).ok).toBe(true);
  });

  test.each([
    ['no common codec', sdp('m=audio 4 RTP/AVP 18 101'), /no codec in common.*PCMU, PCMA/],
    ['port 0', sdp('m=audio 0 RTP/AVP 0'), /port 0/],
    ['port beyond 65535', sdp('m=audio 70000 RTP/AVP 0'), /no valid port/],
    ['no port', sdp('m=audio  RTP/AVP 0'), /no valid port|malformed|no RTP/],
    ['no audio', sdp('m=video 4 RTP/AVP 0'), /no RTP\/AVP audio/],
    ['another profile', sdp('m=audio 4 RTP/SAVP 0'), /no RTP\/AVP audio/],
    ['no sections', sdp(), /no RTP\/AVP audio/],
    ['nothing', '', /no SDP/],
    ['no SDP at all', 'hello', /malformed/],
    ['too much', sdp('m=audio 4 RTP/AVP 0', 'a=x:'.padEnd(20_000, 'y')), /malformed/],
    ['too many sections', sdp(...Array<string>(17).fill('m=audio 4 RTP/AVP 0')), /malformed/],
  ])('%s is refused with a reason', (_name, text, words) => {
    expect(problemOf(read(text))).toMatch(words);
  });

  test.each([
    ['IP4 224.0.0.1', /multicast/],
    ['IP4 239.255.255.255', /multicast/],
    ['IP4 255.255.255.255', /broadcast/],
    ['IP4 240.0.0.1', /reserved/],
    ['IP4 0.1.2.3', /unspecified/],
    ['IP4 127.0.0.1', /loopback/],
    ['IP4 127.255.0.9', /loopback/],
    ['IP4 256.1.1.1', /no IP address/],
    ['IP4 1.2.3', /no IP address/],
    ['IP4 host.example', /no IP address/],
    ['IP6 ff02::1', /multicast/],
    ['IP6 ::1', /loopback/],
    ['IP6 0:0:0:0:0:0:0:1', /loopback/],
    ['IP6 ::ffff:127.0.0.1', /loopback/],
    ['IP6 ::ffff:224.0.0.1', /multicast/],
    ['IP6 ::FFFF:7F00:1', /loopback/],
    ['IP6 0:0:0:0:0:ffff:127.1.2.3', /loopback/],
    ['IP6 ::ffff:0:127.0.0.1', /loopback/],
    ['IP6 ::127.0.0.1', /loopback/],
    ['IP6 64:ff9b::127.0.0.1', /loopback/],
    ['IP6 2002:7f00:1::1', /loopback/],
    ['IP6 ::ffff:0.0.0.0', /unspecified/],
    ['IP6 ::ffff:255.255.255.255', /broadcast/],
    ['IP6 ::ffff:e000:1', /multicast/],
    ['IP6 64:ff9b::224.0.0.1', /multicast/],
    ['IP6 0::0', /unspecified/],
    ['IP6 FF0E::1', /multicast/],
    ['IP6 1:2:3:4:5:6:7:8:9', /no IP address/],
    ['IP6 1::2::3', /no IP address/],
  ])('address %s is refused', (address, words) => {
    expect(problemOf(read(sdp('m=audio 4 RTP/AVP 0', `c=IN ${address}`)))).toMatch(words);
  });

  test.each(['2001:db8::5', '64:ff9b::192.0.2.33', '::ffff:192.0.2.33', 'fe80::1', '1:2:3:4:5:6:7:8'])(
    'address %s is taken',
    (address) => {
      expect(read(sdp('m=audio 4 RTP/AVP 0', `c=IN IP6 ${address}`)).ok).toBe(true);
    },
  );

  test.each(['IP4 0.0.0.0', 'IP6 ::'])('address %s is a hold, the old way (RFC 3264 8.4)', (address) => {
    const media = read(sdp('m=audio 4 RTP/AVP 0', `c=IN ${address}`));
    expect(media.ok && media.media.direction).toBe('inactive');
  });

  test('loopback is for peers on this machine', () => {
    const text = octetsOf(sdp('m=audio 4 RTP/AVP 0', 'c=IN IP4 127.0.0.1'));
    expect(readAnswer(text, { ...BOTH, allowLoopback: true }).ok).toBe(true);
  });
});

describe('reading and answering an offer', () => {
  test('what we write is read back', () => {
    expect(readOffer(octetsOf(writeOffer(LOCAL)), BOTH)).toMatchObject({
      ok: true,
      media: { codec: 'PCMU', payloadType: 0, address: '192.0.2.1', port: 16_384, direction: 'sendrecv' },
    });
  });

  test('every section is answered in order; all but the chosen one are refused (RFC 3264 6)', () => {
    const offer = octetsOf(
      sdp('m=video 6000 RTP/AVP 96', 'm=audio 0 RTP/AVP 0', 'm=audio 6002 RTP/AVP 8 0', 'm=image 6004 udptl t38'),
    );
    const answer = writeAnswer(offer, { ...LOCAL, codecs: offeredCodecs(['PCMA']) });
    expect(answer.split('\r\n').filter((line) => line.startsWith('m='))).toEqual([
      'm=video 0 RTP/AVP 96',
      'm=audio 0 RTP/AVP 0',
      'm=audio 16384 RTP/AVP 8',
      'm=image 0 udptl 0',
    ]);
  });

  test('0.0.0.0 is the old way of hold: read as inactive', () => {
    expect(readOffer(octetsOf(sdp('m=audio 4 RTP/AVP 0', 'c=IN IP4 0.0.0.0')), BOTH)).toMatchObject({
      media: { direction: 'inactive' },
    });
  });

  test('directions are mirrored', () => {
    expect((['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const).map(mirrored)).toEqual([
      'sendrecv',
      'recvonly',
      'sendonly',
      'inactive',
    ]);
  });
});

test('any octets are read without an exception, and answered on whole lines', () => {
  const base = octetsOf(
    sdp(
      ...['m=audio 4 RTP/AVP 0 8 101', 'a=rtpmap:0 PCMU/8000', 'a=rtpmap:101 telephone-event/8000', 'a=ptime:30'],
      ...['a=rtcp:9 IN IP4 198.51.100.9', 'a=rtcp-mux', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'A'.repeat(40)}`],
      ...['m=video 5 RTP/AVP 96', 'a=sendonly'],
    ),
  );
  const options = { ...BOTH, srtp: 'preferred', rtcpMux: true } as const;
  const mutated = fc
    .array(fc.tuple(fc.nat(base.length - 1), fc.nat(255)), { minLength: 1, maxLength: 10 })
    .map((edits) => {
      const octets = base.slice();
      for (const [at, value] of edits) octets[at] = value;
      return octets;
    });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), mutated), (octets) => {
      const reading = readOffer(octets, options);
      expect(readAnswer(octets, options)).toBeDefined();
      if (!reading.ok) {
        expect(reading.problem).not.toBe('');
        return;
      }
      const { media } = reading;
      const local = { ...LOCAL, extras: answerExtras(media, media.crypto) };
      const lines = writeAnswer(octets, local).split('\r\n');
      expect(lines.pop()).toBe('');
      for (const line of lines) expect(line).toMatch(/^[a-z]=[\x20-\x7e]+$/);
    }),
    { numRuns: 2_000 },
  );
});
