import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const run = (ffmpeg: string, args: readonly string[]): string => {
  const { status, stderr } = spawnSync(ffmpeg, ['-nostdin', '-hide_banner', '-nostats', '-y', ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`ffmpeg failed: ${stderr.slice(-500)}`);
  return stderr;
};

const RESAMPLED = 'filter_size=64:cutoff=0.92:tsf=fltp';

/** What one would write by hand for the same renditions: measure, then level and encode in one run, to files. */
export const bareRenditions = (ffmpeg: string, path: string, directory: string): void => {
  const narrow = `aresample=8000:${RESAMPLED},aformat=channel_layouts=mono`;
  const said = run(ffmpeg, ['-i', path, '-af', `${narrow},ebur128=metadata=0`, '-f', 'null', '-']);
  const loudness = Number(/I:\s+(-?[\d.]+) LUFS\s+Threshold/.exec(said)?.[1]);
  if (!Number.isFinite(loudness)) throw new Error('ffmpeg told no loudness');
  const resampled = [48_000, 16_000, 8000, 8000].map((rate, i) => `[i${i}]aresample=${rate}:${RESAMPLED}[o${i}]`);
  const mono = `[0:a]aformat=channel_layouts=mono,volume=${-20 - loudness}dB,asplit=4[i0][i1][i2][i3]`;
  const opus = '-c:a libopus -b:a 24k -vbr off -application voip -fec 1 -packet_loss 10 -compression_level 1 -f data';
  const codings = [opus, '-c:a g722 -f g722', '-c:a pcm_mulaw -f mulaw', '-c:a pcm_alaw -f alaw'];
  const outputs = codings.flatMap((coding, i) => [
    '-map',
    `[o${i}]`,
    ...coding.split(' '),
    join(directory, `bare.${i}`),
  ]);
  run(ffmpeg, ['-v', 'error', '-i', path, '-filter_complex', [mono, ...resampled].join(';'), ...outputs]);
};
