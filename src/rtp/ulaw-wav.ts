import { decodeUlaw } from './g711.ts';
import { wavData, wavHeader } from './wav.ts';

const RATE_HZ = 8000;
/** Four seconds: well under a millisecond of work. */
const SLICE_BYTES = 32_000;

/** A file of known length that is made part by part, as it is read. */
export interface WavInParts {
  readonly bytes: number;
  readonly parts: Iterable<Uint8Array>;
}

/** A WAV file of µ-law octets, in parts small enough to do other work in between. */
export const ulawToWav = (ulaw: Uint8Array): WavInParts => {
  const header = wavHeader(ulaw.length * 2, RATE_HZ);
  return { bytes: header.length + ulaw.length * 2, parts: partsOf(header, ulaw) };
};

function* partsOf(header: Uint8Array, ulaw: Uint8Array): Generator<Uint8Array> {
  yield header;
  for (let at = 0; at < ulaw.length; at += SLICE_BYTES) {
    yield wavData(decodeUlaw(ulaw.subarray(at, at + SLICE_BYTES)));
  }
}
