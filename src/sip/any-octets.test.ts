import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultOf } from '../../test/support/check-octets.ts';
import { seededRandom } from '../../test/support/seeded-network.ts';
import { mutated } from '../../test/support/sip-mutations.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'test', 'fixtures');
const CORPUS = ['sip-torture/rfc4475', 'sip-torture/rfc5118', 'fuzz'].flatMap((folder) =>
  readdirSync(join(FIXTURES, folder)).map((file) => ({ file, octets: readFileSync(join(FIXTURES, folder, file)) })),
);

test('what the fuzzer found worth keeping is taken well', () => {
  const faults = CORPUS.map(({ file, octets }) => [file, faultOf(octets)]).filter(([, fault]) => fault !== null);
  expect(faults).toEqual([]);
  expect(CORPUS.length).toBeGreaterThan(61);
});

test('so are 5,000 more mutations of it', () => {
  const random = seededRandom(4_475);
  const messages = CORPUS.map(({ octets }) => octets);
  for (let i = 0; i < 5_000; i++) {
    const octets = mutated(messages[i % messages.length] as Uint8Array, messages, random);
    expect(faultOf(octets), `mutation ${i}`).toBeNull();
  }
});

/** Stretches that make a regular expression go over the same octets again and again, if it can be made to. */
const STRETCHES = [' ', '\t', '"', '\\', ';', '<', '%', ':', ',', 'SIP/1.0 ', ';a', ';a=', '; ', '\r\n ', '['];

test('no stretch of 60,000 octets anywhere makes reading more than linear', () => {
  const lines = [
    'OPTIONS sip:a@b SIP/2.0',
    'Via: SIP/2.0/UDP a',
    'From: "a" <sip:a@b>;tag=1',
    'To: <sip:a@b>',
    'CSeq: 1 A',
  ];
  for (const piece of STRETCHES) {
    const stretch = piece.repeat(60_000 / piece.length);
    for (const line of lines) {
      for (const bad of [`${line}${stretch}x`, line.replace(' ', stretch), line.replace('a', `a${stretch}b`)]) {
        const text = lines.map((other) => (other === line ? bad : other)).join('\r\n');
        expect(faultOf(new TextEncoder().encode(`${text}\r\n\r\n`))).toBeNull();
      }
    }
  }
});
