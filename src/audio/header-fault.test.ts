import { expect, it } from 'vitest';
import { wavOf } from '../../test/support/wav-formats.ts';
import type { Container } from './container.ts';
import { findHeaderFault } from './header-fault.ts';
import { octetsIn } from './octets.ts';

const faultOf = (octets: Uint8Array, demuxer: Container['demuxer'] = 'wav') =>
  findHeaderFault(octetsIn(octets), { demuxer, type: '', start: 0 });

it.each([
  ['wav', 1, false],
  ['wav', 999, false],
  ['wav', 1000, true],
  ['wav', 384_000, true],
  ['wav', 384_001, false],
])('judges the sample rate of a %s: %d Hz', async (demuxer, rateHz, taken) => {
  const octets = wavOf(new Int16Array(10), { format: 'pcm16', rateHz, channels: 1 });
  const fault = await faultOf(octets, demuxer as 'wav');
  expect(fault).toBe(
    taken ? null : `The file says it has ${rateHz} samples a second, which is not between 1000 and 384000`,
  );
});

it('judges the sample rate of AIFF, AU and FLAC', async () => {
  const aiff = (exponent: number, mantissa: number) => {
    const file = Buffer.alloc(60);
    file.write('FORM\0\0\0\0AIFFCOMM\0\0\0\x12', 'latin1');
    file.writeUInt16BE(1, 20);
    file.writeUInt16BE(16, 26);
    file.writeUInt16BE(16_383 + exponent, 28);
    file.writeUInt32BE(mantissa, 30);
    return file;
  };
  expect(await faultOf(aiff(15, 0xac440000), 'aiff')).toBeNull();
  expect(await faultOf(aiff(0, 0x80000000), 'aiff')).toContain('it has 1 samples');
  expect(await faultOf(aiff(15, 0xac440000).fill(0, 26, 28), 'aiff')).toContain('0 bits');
  const au = Buffer.alloc(24);
  au.writeUInt32BE(7, 16);
  au.writeUInt32BE(1, 20);
  expect(await faultOf(au, 'au')).toContain('it has 7 samples');
  const flac = Buffer.alloc(42);
  flac.writeUIntBE(1 << 4, 18, 3);
  expect(await faultOf(flac, 'flac')).toContain('it has 1 samples');
  expect(await faultOf(flac, 'ogg')).toBeNull();
});

it('judges rate and channels of Opus and Vorbis in Ogg', async () => {
  const page = (packet: Buffer): Buffer => {
    const head = Buffer.alloc(28);
    head.write('OggS');
    head[26] = 1;
    return Buffer.concat([head, packet], 100);
  };
  const opus = (channels: number) =>
    page(Buffer.from(['OpusHead\x01', String.fromCharCode(channels)].join(''), 'latin1'));
  const vorbis = (channels: number, rateHz: number) => {
    const packet = Buffer.from('\x01vorbis\0\0\0\0\0\0\0\0\0', 'latin1');
    packet[11] = channels;
    packet.writeUInt32LE(rateHz, 12);
    return page(packet);
  };
  expect(await faultOf(opus(2), 'ogg')).toBeNull();
  expect(await faultOf(opus(255), 'ogg')).toContain('it has 255 channels');
  expect(await faultOf(vorbis(2, 44_100), 'ogg')).toBeNull();
  expect(await faultOf(vorbis(2, 1), 'ogg')).toContain('it has 1 samples');
  expect(await faultOf(vorbis(0, 44_100), 'ogg')).toContain('it has 0 channels');
});

const wav = (patch: (file: Buffer) => void): Buffer => {
  const file = Buffer.from(wavOf(new Int16Array(10), { format: 'pcm16', rateHz: 8000, channels: 2 }));
  patch(file);
  return file;
};

it('judges whether samples are packed as the header says', async () => {
  expect(await faultOf(wav(() => {}))).toBeNull();
  expect(await faultOf(wav((file) => file.writeUInt16LE(12, 34)))).toBeNull(); // 12 bits in 16
  expect(await faultOf(wav((file) => file.writeUInt16LE(24, 34)))).toBe(
    'The file says it has samples in blocks of 4 octets, where its bits and channels need 6',
  );
  expect(await faultOf(wav((file) => file.writeUInt16LE(0, 32)))).toContain('blocks of 0 octets');
  expect(await faultOf(wav((file) => file.writeUInt16LE(0, 34)))).toContain('0 bits');
  // Octets a second of PCM are read by nobody.
  expect(await faultOf(wav((file) => file.writeUInt32LE(0, 28)))).toBeNull();
});

it('refuses samples before their format, and a header of AU that is none', async () => {
  const whole = wav(() => {});
  const swapped = Buffer.concat([whole.subarray(0, 12), whole.subarray(36), whole.subarray(12, 36)]);
  expect(await faultOf(swapped)).toBe('The file says it has its samples before their format');
  const au = Buffer.from('2e736e64' + '00000000' + 'ffffffff' + '00000001' + '00001f40' + '00000001', 'hex');
  expect(await faultOf(au, 'au')).toBe('The file says it has a header of 0 octets');
});
