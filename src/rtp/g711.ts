/**
 * ITU-T G.711 in both laws, between 16-bit linear samples and octets, as the ITU's own reference code does it
 * (G.191 Software Tool Library, `g711.c`): decision values belong to the interval further from zero for positive
 * samples, nearer to zero for negative ones.
 */

/** The octet of a zero sample: what silence is made of. */
export const ULAW_SILENCE = 0xff;
export const ALAW_SILENCE = 0xd5;

const ULAW_BIAS = 33;
const ULAW_CLIP = 0x1fff;

/** Magnitude without sign, negative samples by one's complement, as G.191 takes it. */
const magnitude = (sample: number): number => (sample < 0 ? ~sample : sample);

/** Number of the highest bit set in `value`, 0 for 1. */
const highestBit = (value: number): number => 31 - Math.clz32(value);

const ulawOf = (sample: number): number => {
  const biased = Math.min((magnitude(sample) >> 2) + ULAW_BIAS, ULAW_CLIP);
  const segment = highestBit(biased) - 5;
  const step = (biased >> (segment + 1)) & 0x0f;
  const sign = sample < 0 ? 0 : 0x80;
  return sign | (~((segment << 4) | step) & 0x7f);
};

const alawOf = (sample: number): number => {
  const level = magnitude(sample) >> 4;
  const segment = level < 32 ? level >> 4 : highestBit(level) - 3;
  const step = (segment < 2 ? level : level >> (segment - 1)) & 0x0f;
  const sign = sample < 0 ? 0 : 0x80;
  return (sign | (segment << 4) | step) ^ 0x55;
};

const linearOfUlaw = (octet: number): number => {
  const bits = ~octet & 0x7f;
  const biased = (((bits & 0x0f) << 1) | 0x21) << (bits >> 4);
  const linear = (biased - ULAW_BIAS) << 2;
  return octet & 0x80 ? linear : 0 - linear;
};

const linearOfAlaw = (octet: number): number => {
  const bits = octet ^ 0x55;
  const segment = (bits >> 4) & 0x07;
  const step = ((bits & 0x0f) << 4) | 0x08;
  const linear = segment === 0 ? step : (step | 0x100) << (segment - 1);
  return bits & 0x80 ? linear : -linear;
};

/** Octets by the sample's 16 bits taken as an unsigned number. */
const encodingTable = (octetOf: (sample: number) => number): Uint8Array =>
  Uint8Array.from({ length: 0x10000 }, (_, bits) => octetOf((bits << 16) >> 16));

const decodingTable = (linearOf: (octet: number) => number): Int16Array =>
  Int16Array.from({ length: 0x100 }, (_, octet) => linearOf(octet));

const ULAW_OCTETS = encodingTable(ulawOf);
const ALAW_OCTETS = encodingTable(alawOf);
const ULAW_LINEAR = decodingTable(linearOfUlaw);
const ALAW_LINEAR = decodingTable(linearOfAlaw);

const encode = (samples: Int16Array, table: Uint8Array): Uint8Array => {
  const octets = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i++) octets[i] = table[(samples[i] as number) & 0xffff] as number;
  return octets;
};

const decode = (octets: Uint8Array, table: Int16Array): Int16Array => {
  const samples = new Int16Array(octets.length);
  for (let i = 0; i < octets.length; i++) samples[i] = table[octets[i] as number] as number;
  return samples;
};

/** Encodes 16-bit linear samples in µ-law (PCMU), one octet each. */
export const encodeUlaw = (samples: Int16Array): Uint8Array => encode(samples, ULAW_OCTETS);

/** Decodes µ-law (PCMU) octets to 16-bit linear samples. */
export const decodeUlaw = (octets: Uint8Array): Int16Array => decode(octets, ULAW_LINEAR);

/** Encodes 16-bit linear samples in A-law (PCMA), one octet each. */
export const encodeAlaw = (samples: Int16Array): Uint8Array => encode(samples, ALAW_OCTETS);

/** Decodes A-law (PCMA) octets to 16-bit linear samples. */
export const decodeAlaw = (octets: Uint8Array): Int16Array => decode(octets, ALAW_LINEAR);
