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
