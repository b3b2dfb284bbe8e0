import { createHash } from 'node:crypto';
import { type BadFile, bytes, NOT_AUDIO } from './bad-file.ts';

/** Octets that look random and are the same each time. */
const noise = (length: number, seed: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('shake256', { outputLength: length }).update(`${seed}`).digest());

export const rubbish = (): readonly BadFile[] => [
  { name: 'nothing', octets: bytes(), status: 400, gist: /no octets/ },
  ...[0, 0x52, 0xff].map(
    (octet): BadFile => ({ name: `the octet ${octet}`, octets: bytes([octet]), status: 415, gist: NOT_AUDIO }),
  ),
  ...[0, 0x20, 0x7f, 0xfe, 0xff].map(
    (octet): BadFile => ({
      name: `1 MiB of ${octet}`,
      octets: new Uint8Array(1 << 20).fill(octet),
      status: 415,
      gist: NOT_AUDIO,
    }),
  ),
  ...[10, 1000, 50_000, 300_000].flatMap((length) =>
    [1, 2].map(
      (seed): BadFile => ({
        name: `${length} random octets, ${seed}`,
        octets: noise(length, seed),
        status: 415,
        gist: NOT_AUDIO,
      }),
    ),
  ),
];
