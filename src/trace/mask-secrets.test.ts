import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';

const mask = (text: string): string => Buffer.from(maskSecrets(Buffer.from(text, 'latin1'))).toString('latin1');
const message = (header: string): string => `INVITE sip:a@b SIP/2.0\r\n${header}\r\nCall-ID: nonce=x\r\n\r\n`;

describe('masking', () => {
  it.each([
    [
      'Authorization: Digest username="bob", realm="b", nonce="ab/=", uri="sip:b", response="0123", cnonce=z, nc=00000001',
      'Authorization: Digest username="bob", realm="b", nonce="xxxx", uri="sip:b", response="xxxx", cnonce=x, nc=00000001',
    ],
    [
      'proxy-authorization :Digest\r\n response="01\\"23",\r\n\topaque="x"',
      'proxy-authorization :Digest\r\n response="xxx"xx",\r\n\topaque="x"',
    ],
    [
      'WWW-Authenticate: Digest realm="b",nonce="n",qop="auth"',
      'WWW-Authenticate: Digest realm="b",nonce="x",qop="auth"',
    ],
    ['Proxy-Authenticate: Digest nonce="open', 'Proxy-Authenticate: Digest nonce="xxxx'],
    ['Authentication-Info: nextnonce="n", rspauth=1f', 'Authentication-Info: nextnonce="x", rspauth=xx'],
    ['Authorization: Basic Ym9iOnB3', 'Authorization: xxxxx xxxxxxxx'],
    ['Authorization: Bearer abc=', 'Authorization: xxxxxx xxxx'],
    ['Contact: <sip:bob:pw;1@192.0.2.1:5060;lr>', 'Contact: <sip:bob:xxxx@192.0.2.1:5060;lr>'],
  ])('hides what is secret in %j', (header, masked) => {
    expect(mask(message(header))).toBe(message(masked));
  });

  it.each([
    [
      'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:KEY+/=|2^20|1:4;inline:KEY',
      'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:xxxxxx|2^20|1:4;inline:xxx',
    ],
    ['a=crypto:2 NEW_SUITE other:KEY', 'a=crypto:x xxxxxxxxx xxxxxxxxx'],
    ['a=key-mgmt:mikey AQAF', 'a=key-mgmt:xxxxx xxxx'],
    ['k=clear:KEY', 'k=xxxxxxxxx'],
  ])('hides the media key in %j', (line, masked) => {
    const around = (it: string): string => `${message('To: x')}v=0\r\n${it}\r\na=sendrecv\r\n`;
    expect(mask(around(line))).toBe(around(masked));
  });

  it.each([
    message('Contact: <sip:192.0.2.1:5060;transport=tcp>, <sip:bob@192.0.2.1:5060>'),
    message('Subject: Authorization: Digest response="a"'),
    'SIP/2.0 200 OK\r\n\r\nv=0\r\nm=audio 4000 RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\n',
  ])('leaves everything else: %j', (text) => {
    expect(mask(text)).toBe(text);
  });

  it('keeps every length, whatever the octets', () => {
    const pieces = fc.constantFrom(
      'Authorization',
      ':',
      ' Digest ',
      'nonce',
      '=',
      '"',
      '\r\n',
      ' ',
      'a=crypto:',
      'inline:',
      'sip:',
      '@',
      '\\',
      ',',
    );
    const text = fc.array(fc.oneof(pieces, fc.string())).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (it) => {
        expect(maskSecrets(Buffer.from(it))).toHaveLength(Buffer.byteLength(it));
      }),
    );
  });

  it('is quick with what was made to be slow', () => {
    const long = 'a'.repeat(60_000);
    for (const evil of [
      `WWW-Authenticate: Digest ${long}`,
      `a=crypto:${long}`,
      'sip:a:'.repeat(10_000),
      `${' \r\n'.repeat(20_000)}`,
    ])
      expect(mask(evil)).toHaveLength(evil.length);
  });
});
