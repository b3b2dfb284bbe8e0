/** The spectrum of a sound as the ear divides it: what was heard is held against what was sent, band by band. */

/** Nominal middles of third-octave bands (IEC 61260), those of speech and of wideband telephony. */
export const THIRD_OCTAVES_HZ = [
  200, 250, 315, 400, 500, 630, 800, 1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300,
];

const HALF_BAND = 2 ** (1 / 6);
const FULL_SCALE = 32_768;
/** What two spectral lines are apart at most: the narrowest band has several. */
const LINE_HZ = 10;

/** In place, radix 2; the length is a power of two. */
const transform = (real: Float64Array, imaginary: Float64Array): void => {
  const size = real.length;
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) {
      swap(real, i, j);
      swap(imaginary, i, j);
    }
  }
  for (let half = 1; half < size; half *= 2) {
    for (let at = 0; at < size; at += 2 * half) butterflies(real, imaginary, at, half);
  }
};

const swap = (values: Float64Array, i: number, j: number): void => {
  [values[i], values[j]] = [values[j] ?? 0, values[i] ?? 0];
};

const butterflies = (real: Float64Array, imaginary: Float64Array, at: number, half: number): void => {
  for (let k = 0; k < half; k++) {
    const [cosine, sine] = [Math.cos((Math.PI * k) / half), -Math.sin((Math.PI * k) / half)];
    const [low, high] = [at + k, at + k + half];
    const [x, y] = [real[high] ?? 0, imaginary[high] ?? 0];
    const [turnedX, turnedY] = [x * cosine - y * sine, x * sine + y * cosine];
    const [lowX, lowY] = [real[low] ?? 0, imaginary[low] ?? 0];
    [real[low], imaginary[low]] = [lowX + turnedX, lowY + turnedY];
    [real[high], imaginary[high]] = [lowX - turnedX, lowY - turnedY];
  }
};

/** Mean power of each spectral line over half-overlapping blocks with a Hann window (Welch's method). */
const linePowers = (samples: Int16Array, size: number): Float64Array => {
  const powers = new Float64Array(size / 2);
  const window = Float64Array.from({ length: size }, (_, i) => 1 - Math.cos((2 * Math.PI * i) / size));
  for (let at = -size / 2; at < samples.length; at += size / 2) {
    const real = window.map((weight, i) => (weight * (samples[at + i] ?? 0)) / FULL_SCALE);
    const imaginary = new Float64Array(size);
    transform(real, imaginary);
    for (let line = 0; line < powers.length; line++) {
      powers[line] = (powers[line] ?? 0) + (real[line] ?? 0) ** 2 + (imaginary[line] ?? 0) ** 2;
    }
  }
  // The window's mean square is 1.5, and half the blocks overlap; each line stands for its mirror image too.
  return powers.map((power) => (2 * power) / (1.5 * size * 2));
};

/**
 * Energy of each third-octave band below half the rate, in dB: that of one second of a full square wave is 0. Sounds of
 * any rate compare.
 */
export const measureBands = (samples: Int16Array, rateHz: number): number[] => {
  const size = 2 ** Math.ceil(Math.log2(rateHz / LINE_HZ));
  const powers = linePowers(samples, size);
  return THIRD_OCTAVES_HZ.filter((hz) => hz * HALF_BAND <= rateHz / 2).map((hz) => {
    const [from, to] = [hz / HALF_BAND, hz * HALF_BAND].map((edge) => Math.ceil((edge * size) / rateHz));
    return 10 * Math.log10(powers.slice(from, to).reduce((sum, power) => sum + power, 0) / rateHz);
  });
};
