import { FILE_ON_STDIN, NARROW_RATE_HZ, QUIET, resampler, SAMPLE_FORMAT, WIDE_RATE_HZ } from './decode-arguments.ts';

/** Which part of the decoded sound becomes the clip, in samples at 8 kHz, and what it is multiplied by. */
export interface Cut {
  readonly start: number;
  readonly end: number;
  readonly gain: number;
}

const G722_RATE_HZ = 16_000;
const WIDE_SAMPLES = WIDE_RATE_HZ / NARROW_RATE_HZ;

/** Silence behind the clip, for its last frame and for what encoder and resampler look ahead: 60 ms. */
const PADDING_SAMPLES = (WIDE_RATE_HZ * 60) / 1000;

/**
 * Every packet is 60 octets: a constant 24 kbit/s in frames of 20 ms. In-band FEC needs a loss to reckon with, and SILK,
 * which makes speech 1 dB fainter whatever the application (ADR 30). The effort of 1 in 10 takes a quarter of the time
 * of 10.
 */
const OPUS = [
  ...['-codec:a', 'libopus', '-b:a', '24k', '-vbr', 'off', '-frame_duration', '20', '-application', 'voip'],
  ...['-fec', '1', '-packet_loss', '10', '-compression_level', '1', '-f', 'data'],
];

/**
 * FFmpeg's arguments for what it encodes: the samples at 48 kHz in the file on descriptor 0, as packets of Opus to
 * descriptor 1 and as G.722 to descriptor 3; both somewhat longer than the cut.
 */
export const encodeArguments = ({ start, end, gain }: Cut): readonly string[] => {
  const part = `atrim=start_sample=${start * WIDE_SAMPLES}:end_sample=${end * WIDE_SAMPLES}`;
  const levelled = `[0:a:0]${part},volume=${gain}:precision=float,apad=pad_len=${PADDING_SAMPLES},asplit[a][b]`;
  const graph = `${levelled};[a]anull[opus];[b]${resampler(G722_RATE_HZ)}[g722]`;
  return [
    ...[...QUIET, '-protocol_whitelist', 'file,pipe', '-threads', '1'],
    ...['-f', SAMPLE_FORMAT, '-ar', String(WIDE_RATE_HZ), '-ac', '1', ...FILE_ON_STDIN, '-filter_complex', graph],
    ...['-map', '[opus]', ...OPUS, 'pipe:1', '-map', '[g722]', '-codec:a', 'g722', '-f', 'g722', 'pipe:3'],
  ];
};
