import { describe, expect, test } from 'vitest';
import type { AudioCodec } from './audio-codec.ts';
import { cryptoLineOf } from './crypto-line.ts';
import { type RemoteMedia, readAnswer } from './offer-answer.ts';

/** Answers written in the manner of products that trunks lead to, each with its habits. */
const KEY = Buffer.alloc(30, 5).toString('base64');
const OFFERED = [cryptoLineOf(1, 'AES_CM_128_HMAC_SHA1_80', new Uint8Array(44).fill(1))];

const ANSWERS: readonly (readonly [name: string, sdp: string, media: Partial<RemoteMedia<AudioCodec>>])[] = [
  [
    'Asterisk: events, silence suppression off, maxptime 150',
    `v=0
o=- 2035149211 4 IN IP4 203.0.113.10
s=Asterisk
c=IN IP4 203.0.113.10
t=0 0
m=audio 14560 RTP/AVP 8 101
a=rtpmap:8 PCMA/8000
a=rtpmap:101 telephone-event/8000
a=fmtp:101 0-16
a=ptime:20
a=maxptime:150
a=sendrecv
`,
    {
      codec: 'PCMA',
      payloadType: 8,
      port: 14_560,
      packetTimeMs: 20,
      rtcp: { address: '203.0.113.10', port: 14_561 },
      telephoneEvent: { payloadType: 101, clockRateHz: 8_000 },
      crypto: null,
    },
  ],
  [
    'Asterisk: keys under the plain profile, as we offered them',
    `v=0
o=- 2035149211 4 IN IP4 203.0.113.10
s=Asterisk
c=IN IP4 203.0.113.10
t=0 0
m=audio 14560 RTP/AVP 0 101
a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}
a=rtpmap:0 PCMU/8000
a=rtpmap:101 telephone-event/8000
a=fmtp:101 0-16
a=ptime:20
a=maxptime:150
a=sendrecv
a=rtcp-mux
`,
    { codec: 'PCMU', profile: 'RTP/AVP', isRtcpMux: true, rtcp: { address: '203.0.113.10', port: 14_560 } },
  ],
  [
    'FreeSWITCH: Opus under a number of its own, RTCP named, secure profile, rtpmap last',
    `v=0
o=FreeSWITCH 1716900000 1716900001 IN IP4 203.0.113.20
s=FreeSWITCH
c=IN IP4 203.0.113.20
t=0 0
m=audio 27034 RTP/SAVP 116 101
a=fmtp:116 useinbandfec=1; maxaveragebitrate=30000; maxplaybackrate=48000; ptime=20; minptime=10; maxptime=40
a=rtpmap:116 opus/48000/2
a=rtpmap:101 telephone-event/48000
a=fmtp:101 0-16
a=ptime:20
a=rtcp:27035 IN IP4 203.0.113.20
a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}
`,
    {
      codec: 'opus',
      payloadType: 116,
      profile: 'RTP/SAVP',
      telephoneEvent: { payloadType: 101, clockRateHz: 48_000 },
      rtcp: { address: '203.0.113.20', port: 27_035 },
    },
  ],
  [
    'Kamailio and rtpengine: address at the stream, direction at the session, ICE left in',
    `v=0
o=root 11 11 IN IP4 198.51.100.7
s=call
t=0 0
a=sendrecv
m=audio 30128 RTP/AVP 9 101
c=IN IP4 198.51.100.7
a=rtpmap:9 G722/8000
a=rtpmap:101 telephone-event/8000
a=rtcp:30129
a=ice-ufrag:abcd
a=candidate:1 1 UDP 2130706431 198.51.100.7 30128 typ host
`,
    {
      codec: 'G722',
      payloadType: 9,
      address: '198.51.100.7',
      direction: 'sendrecv',
      rtcp: { address: '198.51.100.7', port: 30_129 },
    },
  ],
  [
    'Cisco CUBE: no rtpmap for static types, events under 100, 30 ms',
    `v=0
o=CiscoSystemsSIP-GW-UserAgent 4120 9087 IN IP4 192.0.2.30
s=SIP Call
c=IN IP4 192.0.2.30
t=0 0
m=audio 18312 RTP/AVP 0 100
c=IN IP4 192.0.2.31
a=rtpmap:100 telephone-event/8000
a=fmtp:100 0-15
a=ptime:30
`,
    {
      codec: 'PCMU',
      address: '192.0.2.31',
      packetTimeMs: 30,
      telephoneEvent: { payloadType: 100, clockRateHz: 8_000 },
    },
  ],
  [
    'session border controller of a Teams route: secure profile, lifetime and identifier, RTCP on one port',
    `v=0
o=- 97331 0 IN IP4 203.0.113.40
s=session
c=IN IP4 203.0.113.40
b=CT:10000000
t=0 0
m=audio 49856 RTP/SAVP 8 101
a=rtcp:49857
a=rtcp-mux
a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^31|1:1
a=maxptime:200
a=rtpmap:8 PCMA/8000
a=rtpmap:101 telephone-event/8000
a=fmtp:101 0-16
a=ptime:20
`,
    { codec: 'PCMA', profile: 'RTP/SAVP', isRtcpMux: true, packetTimeMs: 20 },
  ],
  [
    'a carrier over IPv6: names in lower case, early media only one way',
    `v=0
o=- 1 1 IN IP6 2001:db8:7::5
s=-
c=IN IP6 2001:db8:7::5
t=0 0
m=audio 6000 RTP/AVP 8 96
a=rtpmap:8 pcma/8000/1
a=rtpmap:96 telephone-event/8000
a=recvonly
`,
    {
      codec: 'PCMA',
      address: '2001:db8:7::5',
      direction: 'recvonly',
      rtcp: { address: '2001:db8:7::5', port: 6_001 },
    },
  ],
];

describe('answers in the manner of', () => {
  test.each(ANSWERS)('%s', (_name, sdp, media) => {
    const reading = readAnswer(new TextEncoder().encode(sdp.replaceAll('\n', '\r\n')), {
      codecs: ['opus', 'G722', 'PCMU', 'PCMA'],
      allowLoopback: false,
      srtp: 'preferred',
      rtcpMux: true,
      offeredCrypto: OFFERED,
    });
    expect(reading).toMatchObject({ ok: true, media });
    const hasKeys = sdp.includes('a=crypto');
    if (reading.ok) expect(reading.media.crypto === null).toBe(!hasKeys);
  });
});
