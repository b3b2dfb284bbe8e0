/** Messages of a call as a PBX sends them. */
const SDP = [
  'v=0',
  'o=- 1754318 1 IN IP4 192.0.2.2',
  's=-',
  'c=IN IP4 192.0.2.2',
  't=0 0',
  'm=audio 40000 RTP/AVP 0 8 101',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:8 PCMA/8000',
  'a=rtpmap:101 telephone-event/8000',
  'a=fmtp:101 0-16',
  'a=sendrecv',
  '',
].join('\r\n');

const NAMES = [
  'From: <sip:+15550001111@192.0.2.1>;tag=4f0e6d7a',
  'To: <sip:+15551230000@192.0.2.2>;tag=as58f4201b',
  'Call-ID: 0a1b2c3d4e5f60718293a4b5c6d7e8f9',
  'CSeq: 1 INVITE',
];
const REPLY = [
  'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK4f0e6d7a9b8c;received=192.0.2.1;rport=5060',
  ...NAMES,
  'Contact: <sip:+15551230000@192.0.2.2:5060>',
  'Allow: INVITE, ACK, CANCEL, OPTIONS, BYE, REFER, SUBSCRIBE, NOTIFY, INFO, PUBLISH, MESSAGE',
  'Supported: replaces, timer',
  'User-Agent: PBX 1.2.3',
];
const WITH_SDP = ['Content-Type: application/sdp', `Content-Length: ${SDP.length}`];

const octetsOf = (lines: readonly string[], body = ''): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);

export const ANSWER = octetsOf(['SIP/2.0 200 OK', ...REPLY, ...WITH_SDP], SDP);
export const RINGING = octetsOf(['SIP/2.0 180 Ringing', ...REPLY, 'Content-Length: 0']);
export const INVITE = octetsOf(
  [
    'INVITE sip:+15551230000@192.0.2.2 SIP/2.0',
    'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK4f0e6d7a9b8c;rport',
    'Max-Forwards: 70',
    ...NAMES,
    'Contact: <sip:ringcast@192.0.2.1:5060>',
    'Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, INFO',
    'User-Agent: Ringcast',
    ...WITH_SDP,
  ],
  SDP,
);
