import { execFileSync } from 'node:child_process';
import koffi from 'koffi';

const SAMPLES = '-f s16le -ar 16000 -ac 1'.split(' ');
const CODED = '-f g722'.split(' ');

const byFfmpeg = (input: Uint8Array, from: readonly string[], to: readonly string[]): Buffer =>
  execFileSync('ffmpeg', ['-v', 'error', ...from, '-i', 'pipe:0', ...to, 'pipe:1'], { input });

export const encodeByFfmpeg = (samples: Int16Array): Buffer =>
  byFfmpeg(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), SAMPLES, CODED);

export const decodeByFfmpeg = (coded: Uint8Array): Int16Array => {
  const octets = byFfmpeg(coded, CODED, SAMPLES);
  return Int16Array.from({ length: octets.length >> 1 }, (_, at) => octets.readInt16LE(2 * at));
};

/** By the library of telephony algorithms that baresip decodes with: nothing of it is FFmpeg's. */
export const encodeBySpandsp = (samples: Int16Array): Buffer => {
  const library = koffi.load('libspandsp.so.2');
  const open = library.func('void *g722_encode_init(void *state, int bitsPerSecond, int options)');
  const encode = library.func('int g722_encode(void *state, _Out_ uint8_t *coded, int16_t *samples, int count)');
  const close = library.func('int g722_encode_free(void *state)');
  const coded = new Uint8Array(samples.length / 2);
  const state = open(null, 64_000, 0);
  encode(state, coded, samples, samples.length);
  close(state);
  return Buffer.from(coded);
};
