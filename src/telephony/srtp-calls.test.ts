import { describe, expect, test } from 'vitest';
import type { PeerScript } from '../../test/support/peer-script.ts';
import { sdpOf } from '../../test/support/sip-peer.ts';
import { sdpParts } from '../../test/support/talking.ts';
import { createTelephonyBench, type OrderChange } from '../../test/support/telephony-bench.ts';

const KEY = Buffer.alloc(30, 7).toString('base64');
const LINE = `a=crypto:3 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`;
const OTHER_LINE = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${Buffer.alloc(30, 8).toString('base64')}`;
const secure = (...lines: readonly string[]): string =>
  sdpOf('10.0.0.2', 40_000, lines.join('\r\n')).replace('RTP/AVP', 'RTP/SAVP');
const plain = (...lines: readonly string[]): string => sdpOf('10.0.0.2', 40_000, lines.join('\r\n'));

const call = async (srtp: NonNullable<OrderChange['srtp']>, script: PeerScript) => {
  const bench = createTelephonyBench({ script: { answerAfterMs: 0, ...script } });
  const placed = bench.place({ srtp, frames: [500] });
  await bench.clock.advance(100);
  const invite = bench.traffic.find(({ text }) => text.startsWith('INVITE'))?.text ?? '';
  /** Key and salt as they stand in the last description of ours, by tag. */
  const keyOf = (tag: number, text = invite): string =>
    new RegExp(`a=crypto:${tag} \\S+ inline:(\\S+)`).exec(text)?.[1] ?? 'none';
  const sealedWith = (): string[] =>
    bench.media.events.flatMap(({ sealing }) =>
      sealing ? Buffer.concat([sealing.masterKey, sealing.masterSalt]).toString('base64') : [],
    );
  return { bench, placed, invite, keyOf, sealedWith };
};

describe('SRTP of a call', () => {
  test('required: four suites are offered under RTP/SAVP, and the voice is sealed with our key of the one taken', async () => {
    const { bench, placed, invite, keyOf, sealedWith } = await call('required', { answer: secure(LINE) });
    expect(invite).toMatch(/m=audio \d+ RTP\/SAVP /);
    expect(invite.match(/a=crypto:\d \w+/g)).toEqual([
      'a=crypto:1 AEAD_AES_256_GCM',
      'a=crypto:2 AEAD_AES_128_GCM',
      'a=crypto:3 AES_CM_128_HMAC_SHA1_80',
      'a=crypto:4 AES_CM_128_HMAC_SHA1_32',
    ]);
    expect(new Set([1, 2, 3, 4].map((tag) => keyOf(tag))).size).toBe(4);
    expect(sealedWith()).toEqual([keyOf(3)]);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  });

  test.each([
    ['an answer in the clear', plain(), /SRTP is required/],
    ['RTP/SAVP without a key', secure(), /no crypto line that can be used/],
    ['a key for a suite that was not offered under its tag', secure(LINE.replace(':3', ':1')), /no crypto line/],
  ])('required: %s is hung up before a word is said', async (_what, answer, words) => {
    const { bench, placed } = await call('required', { answer });
    const result = await bench.finish(placed);
    expect(result).toMatchObject({ outcome: 'failed', codec: null, sipReason: expect.stringMatching(words) });
    expect(bench.traffic.some(({ from, text }) => from === 'ua' && text.startsWith('BYE'))).toBe(true);
    expect(bench.media.events.map(({ kind }) => kind)).not.toContain('play');
    bench.expectRest();
  });

  test('preferred: offered under RTP/AVP; a peer that knows nothing of it is spoken to in the clear', async () => {
    const { bench, placed, invite, sealedWith } = await call('preferred', { answer: plain() });
    expect(invite).toMatch(/m=audio \d+ RTP\/AVP /);
    expect(invite).toContain('a=crypto:4 ');
    expect((await bench.finish(placed)).outcome).toBe('completed');
    expect(sealedWith()).toEqual([]);
  });

  test('preferred: a key in the answer is used', async () => {
    const { bench, placed, keyOf, sealedWith } = await call('preferred', { answer: plain(LINE) });
    expect((await bench.finish(placed)).outcome).toBe('completed');
    expect(sealedWith()).toEqual([keyOf(3)]);
  });

  test('off: no key is offered', async () => {
    const { bench, placed, invite } = await call('off', {});
    expect(invite).not.toContain('crypto');
    expect((await bench.finish(placed)).outcome).toBe('completed');
  });

  test('a new offer of the peer keeps our key while the suite stays, and brings a new one with another suite', async () => {
    const { bench, placed, keyOf, sealedWith } = await call('required', { answer: secure(LINE) });
    const [peerCall] = bench.peer.calls;
    const answers: string[] = [];
    const gcm = `a=crypto:5 AEAD_AES_128_GCM inline:${Buffer.alloc(28, 9).toString('base64')}`;
    for (const line of [OTHER_LINE, gcm]) {
      const answer = peerCall?.ask('INVITE', sdpParts(secure(line).replace('40000', '40002')));
      await bench.clock.advance(100);
      answers.push(new TextDecoder().decode((await answer)?.body));
    }
    expect(keyOf(1, answers[0])).toBe(keyOf(3));
    expect(answers[1]).toContain('RTP/SAVP');
    expect(sealedWith()).toEqual([keyOf(3), keyOf(3), keyOf(5, answers[1])]);
    expect(sealedWith()[2]).not.toBe(keyOf(2));
    await bench.finish(placed);
  });

  test('required: a new offer in the clear is refused with 488, and the voice goes on encrypted', async () => {
    const { bench, placed, sealedWith } = await call('required', { answer: secure(LINE) });
    const answer = bench.peer.calls[0]?.ask('INVITE', sdpParts(plain()));
    await bench.clock.advance(100);
    expect((await answer)?.status).toBe(488);
    expect(sealedWith()).toHaveLength(1);
    expect((await bench.finish(placed)).outcome).toBe('completed');
  });
});
