import { expect, it } from 'vitest';
import { writeWav } from '../rtp/wav.ts';
import type { Container } from './container.ts';
import { octetsIn } from './octets.ts';
import { findLengthFault, readPromisedSeconds } from './promised-length.ts';

const faultOf = (octets: Uint8Array, demuxer: Container['demuxer'] = 'wav'): Promise<string | null> =>
  findLengthFault(octetsIn(octets), { demuxer, type: '', start: 0 });

const WHOLE = Buffer.from(writeWav(new Int16Array(100), 8000));

const withDataSize = (bytes: number): Buffer => {
  const file = Buffer.from(WHOLE);
  file.writeUInt32LE(bytes, 40);
  return file;
};

/** RF64 with its true data size in ds64 (EBU Tech 3306). */
const rf64 = (bytes: number): Buffer => {
  const ds64 = Buffer.alloc(36);
  ds64.write('ds64');
  ds64.writeUInt32LE(28, 4);
  ds64.writeBigUInt64LE(BigInt(bytes), 16);
  const rest = withDataSize(0xffffffff).subarray(12);
  return Buffer.concat([Buffer.from('RF64\xff\xff\xff\xffWAVE', 'latin1'), ds64, rest]);
};

/** AIFF: a chunk of one octet with its padding, then SSND, sizes big-endian. */
const aiff = (soundBytes: number): Buffer => {
  const head = Buffer.from('464f524d00000000414946464f4d4d4d00000001780053534e44', 'hex');
  const size = Buffer.alloc(4);
  size.writeUInt32BE(soundBytes);
  return Buffer.concat([head, size, Buffer.alloc(100)]);
};

const au = (soundBytes: number): Buffer => {
  const head = Buffer.from('2e736e64000000180000000000000001' + '00001f4000000001', 'hex');
  head.writeUInt32BE(soundBytes, 8);
  return Buffer.concat([head, Buffer.alloc(100)]);
};

/** FLAC: STREAMINFO with 44,100 Hz, mono, 16 bits, and a number of samples of 36 bits. */
const flac = (samples: number): Buffer => {
  const file = Buffer.alloc(42);
  file.write('fLaC');
  file.writeUIntBE(0x000022, 5, 3);
  file.writeUIntBE(44_100 * 16, 18, 3);
  file.writeUIntBE(0xf0 + Math.floor(samples / 2 ** 32), 21, 1);
  file.writeUInt32BE(samples % 2 ** 32, 22);
  return file;
};

it('finds nothing wrong with whole files', async () => {
  expect(await faultOf(WHOLE)).toBeNull();
  expect(await faultOf(Buffer.concat([WHOLE, Buffer.from('LIST')]))).toBeNull();
  expect(await faultOf(rf64(200))).toBeNull();
  expect(await faultOf(aiff(100), 'aiff')).toBeNull();
  expect(await faultOf(au(100), 'au')).toBeNull();
  expect(await faultOf(Buffer.alloc(100), 'ogg')).toBeNull();
});

it('takes the sizes of programs that write to a pipe for unknown', async () => {
  expect(await faultOf(withDataSize(0xffffffff))).toBeNull();
  expect(await faultOf(withDataSize(0x7ffff000))).toBeNull();
  expect(await faultOf(au(0xffffffff), 'au')).toBeNull();
});

it('finds files that were cut short', async () => {
  expect(await faultOf(WHOLE.subarray(0, -1))).toBe(
    'its header promises 200 octets of samples, but only 199 are there',
  );
  expect(await faultOf(withDataSize(0x7ffe0000))).toContain('promises 2147352576');
  expect(await faultOf(rf64(201))).toContain('promises 201');
  expect(await faultOf(aiff(101), 'aiff')).toContain('promises 101 octets of samples, but only 100');
  expect(await faultOf(au(101), 'au')).toContain('promises 101 octets of samples, but only 100');
  expect(await faultOf(au(101).subarray(0, 20), 'au')).toContain('only 0 are there');
  expect(await faultOf(WHOLE.subarray(0, 36))).toBe('its header announces no samples');
  expect(await faultOf(WHOLE.subarray(0, 12))).toBe('its header announces no samples');
});

it('reads how long a FLAC file says it is, behind a tag too', async () => {
  const secondsOf = (octets: Uint8Array, start = 0, demuxer: Container['demuxer'] = 'flac') =>
    readPromisedSeconds(octetsIn(octets), { demuxer, type: '', start });
  expect(await secondsOf(flac(44_100 * 3))).toBe(3);
  expect(await secondsOf(flac(2 ** 32 * 5))).toBeCloseTo((2 ** 32 * 5) / 44_100);
  expect(await secondsOf(Buffer.concat([Buffer.alloc(7), flac(44_100)]), 7)).toBe(1);
  expect(await secondsOf(flac(0))).toBeNull();
  expect(await secondsOf(flac(44_100), 0, 'wav')).toBeNull();
});
