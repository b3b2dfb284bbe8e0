import type { Container } from './container.ts';

export const DECODED_RATE_HZ = 8000;
const DECODED_SAMPLE_BYTES = 2;
export const DECODED_BYTES_PER_SECOND = DECODED_RATE_HZ * DECODED_SAMPLE_BYTES;

/**
 * Flat within 0.1 dB up to 3,400 Hz and more than 100 dB down from 4,000 Hz on, measured from 11,025 to 48,000 Hz;
 * reckoned in floating point. Samples that are at 8 kHz already pass unchanged.
 */
const RESAMPLER = `aresample=${DECODED_RATE_HZ}:filter_size=64:cutoff=0.92:tsf=fltp`;

/**
 * MP4 has a table of what it holds: a packet that is missing or broken means a damaged file. Other containers have
 * none, or lengths that are checked elsewhere, and rubbish between or behind their packets is common and harmless.
 */
const STRICT: readonly Container['demuxer'][] = ['mov'];

/**
 * FFmpeg's arguments, the same for the native program and for WebAssembly: file on descriptor 0 (by name, so that it
 * can be seeked in), 16-bit little-endian mono samples at 8 kHz to descriptor 1, never more than a second too many.
 */
export const decodeArguments = (demuxer: Container['demuxer'], maxSeconds: number): readonly string[] => [
  ...['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'error'],
  ...(STRICT.includes(demuxer) ? ['-xerror'] : []),
  ...['-protocol_whitelist', 'file,pipe', '-threads', '1', '-f', demuxer, '-i', 'file:/dev/fd/0'],
  ...['-map', '0:a:0', '-af', RESAMPLER, '-ac', '1', '-t', String(maxSeconds + 1)],
  ...['-codec:a', 'pcm_s16le', '-f', 's16le', 'pipe:1'],
];
