import { describe, expect, it } from 'vitest';
import { readWav, writeWav } from './wav.ts';

const SAMPLES = Int16Array.of(0, 1, -1, 32767, -32768);

describe('writeWav and readWav', () => {
  it('write the header of RIFF WAVE, PCM 16 mono', () => {
    const file = Buffer.from(writeWav(SAMPLES, 8000));
    const hex = '524946462e00000057415645666d74201000000001000100401f0000803e0000020010006461746' + '10a000000';
    expect(file.toString('hex', 0, 44)).toBe(hex);
    expect(file.length).toBe(54);
  });

  it('give back what was written, wherever the octets lie in their buffer', () => {
    const file = writeWav(SAMPLES, 16000);
    const shifted = new Uint8Array(file.length + 3);
    shifted.set(file, 3);
    expect(readWav(shifted.subarray(3))).toEqual({ samples: SAMPLES, sampleRateHz: 16000 });
  });

  it('skip chunks they do not know, with their padding', () => {
    const file = Buffer.from(writeWav(SAMPLES, 8000));
    const list = Buffer.from('LIST\x03\0\0\0abc\0', 'latin1');
    const withList = Buffer.concat([file.subarray(0, 36), list, file.subarray(36)]);
    expect(readWav(withList).samples).toEqual(SAMPLES);
  });

  it('refuse what is no WAV, cut short, stereo or 8-bit', () => {
    const file = writeWav(SAMPLES, 8000);
    const stereo = file.slice();
    stereo[22] = 2;
    const narrow = file.slice();
    narrow[34] = 8;
    expect(() => readWav(new Uint8Array(3))).toThrow('does not begin with RIFF');
    expect(() => readWav(file.subarray(0, 50))).toThrow('no whole "data" chunk');
    expect(() => readWav(stereo)).toThrow('not 16-bit PCM with one channel');
    expect(() => readWav(narrow)).toThrow('not 16-bit PCM with one channel');
  });
});
