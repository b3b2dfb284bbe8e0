import { execFileSync } from 'node:child_process';
import { CODEC_FRAMES, type Codec } from '../../src/domain/codec.ts';
import { decodeAlaw, decodeUlaw } from '../../src/rtp/g711.ts';
import { oggOfOpus } from './ogg-opus.ts';

const byFfmpeg = (format: string, octets: Uint8Array, rateHz: number): Int16Array => {
  const args = ['-v', 'error', '-f', format, '-i', 'pipe:0', '-f', 's16le', '-ar', String(rateHz), 'pipe:1'];
  const pcm = execFileSync('ffmpeg', args, { input: octets, maxBuffer: 64 * 1024 * 1024 });
  return Int16Array.from({ length: pcm.length / 2 }, (_, i) => pcm.readInt16LE(i * 2));
};

/** What is heard of a rendition, at the codec's `sampleRateHz`; G.722 and Opus by the machine's FFmpeg. */
export const decodeRendition = (codec: Codec, octets: Uint8Array): Int16Array => {
  const { sampleRateHz } = CODEC_FRAMES[codec];
  if (codec === 'PCMU') return decodeUlaw(octets);
  if (codec === 'PCMA') return decodeAlaw(octets);
  return codec === 'G722' ? byFfmpeg('g722', octets, sampleRateHz) : byFfmpeg('ogg', oggOfOpus(octets), sampleRateHz);
};
