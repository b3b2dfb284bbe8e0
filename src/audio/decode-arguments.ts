import { endianness } from 'node:os';
import type { Container } from './container.ts';

/** The rate of narrowband codecs, at which a clip is measured and cut. */
export const NARROW_RATE_HZ = 8000;
/** The rate that Opus and G.722 are made from. */
export const WIDE_RATE_HZ = 48_000;
/** Samples as FFmpeg gives them and takes them: floats of 32 bits, in this machine's order of octets. */
export const SAMPLE_FORMAT = `f32${endianness().toLowerCase()}`;
export const SAMPLE_BYTES = 4;

/**
 * Flat within 0.1 dB up to 85 % of the lower rate's half, and more than 100 dB down from that half on; reckoned in
 * floating point. Samples that are at the rate asked for already pass unchanged.
 */
export const resampler = (rateHz: number): string => `aresample=${rateHz}:filter_size=64:cutoff=0.92:tsf=fltp`;

/** Every channel has its share, and the shares add up to one, so that the mix of loud channels cannot clip. */
const MONO = 'aresample=rematrix_maxval=1:tsf=fltp,aformat=sample_fmts=fltp:channel_layouts=mono';

/** What a telephone line passes: Butterworth filters of the fourth order at 300 and 3,400 Hz. */
const TELEPHONE_BAND = [
  ...['highpass=f=300:width_type=q:width=0.541', 'highpass=f=300:width_type=q:width=1.307'],
  ...['lowpass=f=3400:width_type=q:width=0.541', 'lowpass=f=3400:width_type=q:width=1.307'],
];

/**
 * MP4 has a table of what it holds: a packet that is missing or broken means a damaged file. Other containers have
 * none, or lengths that are checked elsewhere, and rubbish between or behind their packets is common and harmless.
 */
const STRICT: readonly Container['demuxer'][] = ['mov'];

/** Frames of silence in AMR, which FFmpeg cannot decode, leave gaps: they are filled, so that pauses keep their length. */
const FILL_GAPS = 'aresample=async=1:min_hard_comp=0.005';

export const QUIET = ['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'error'] as const;
export const FILE_ON_STDIN = ['-i', 'file:/dev/fd/0'] as const;

export interface DecodeOrder {
  readonly demuxer: Container['demuxer'];
  readonly maxSeconds: number;
  readonly telephoneBand: boolean;
}

/**
 * FFmpeg's arguments, the same for the native program and for WebAssembly: file on descriptor 0 (by name, so that it
 * can be seeked in), mono samples at 8 kHz to descriptor 1 and at 48 kHz to descriptor 3. It is
 * for the reader to end what gives too many: a time to stop at would make a long, damaged file a short, whole one.
 */
export const decodeArguments = ({ demuxer, telephoneBand }: DecodeOrder): readonly string[] => {
  const filters = [
    ...(demuxer === 'amr' ? [FILL_GAPS] : []),
    MONO,
    ...(telephoneBand ? TELEPHONE_BAND : []),
    'asplit[a][b]',
  ];
  const graph = [
    `[0:a:0]${filters.join(',')}`,
    `[a]${resampler(NARROW_RATE_HZ)}[narrow]`,
    `[b]${resampler(WIDE_RATE_HZ)}[wide]`,
  ].join(';');
  return [
    ...QUIET,
    ...(STRICT.includes(demuxer) ? ['-xerror'] : []),
    ...['-protocol_whitelist', 'file,pipe', '-threads', '1', '-f', demuxer],
    ...[...FILE_ON_STDIN, '-filter_complex', graph],
    ...['-map', '[narrow]', '-f', SAMPLE_FORMAT, 'pipe:1', '-map', '[wide]', '-f', SAMPLE_FORMAT, 'pipe:3'],
  ];
};
