import type { Api } from './api-client.ts';
import type { Clip, ClipVersion, Listing, Media, Peaks } from './api-shapes.ts';
import { type Column, table } from './table.ts';
import { inOneCell, inSeconds, localTime, visible } from './text.ts';
import { drawPeaks, levelOf } from './waveform.ts';

const WIDTH = 60;

const VERSIONS: readonly Column<ClipVersion>[] = [
  ['version', (clip) => clip.id],
  ['current', (clip) => (clip.current ? 'yes' : '-')],
  ['uploaded', (clip) => localTime(clip.createdAt)],
  ['length', (clip) => inSeconds(clip.durationMs)],
  ['loudness', ({ loudness }) => (loudness ? `${loudness.lufs.toFixed(1)} LUFS` : '-')],
  ['type', (clip) => clip.type],
  ['octets', (clip) => String(clip.bytes)],
  ['renditions', (clip) => inOneCell(clip.renditions.map(({ codec, bytes }) => `${codec} ${bytes}`))],
  ['sha-256', (clip) => clip.sha256],
];

const loudnessOf = ({ loudness }: Clip): readonly string[] => {
  if (!loudness) return [];
  const [source, lufs, peak] = [loudness.sourceLufs, loudness.lufs, loudness.truePeakDbfs].map((value) =>
    value.toFixed(1),
  );
  return [`loudness  ${lufs} LUFS, true peak ${peak} dBFS; ${source} LUFS as it was uploaded`];
};

/** What a media is beyond its record: how its clip looks and how loud it is, and the versions that are still there. */
export const linesOfClips = async (api: Api, path: string, { clip }: Media): Promise<readonly string[]> => {
  const get = async <T>(below: string): Promise<T> =>
    (await api.request<T>({ method: 'GET', path: `${path}${below}` })).value;
  const { items } = await get<Listing<ClipVersion>>('/clips');
  const versions = items.length === 0 ? [] : ['', ...table(items, VERSIONS)];
  if (clip === null) return versions;
  const peaks = await get<Peaks>(`/peaks?points=${WIDTH}`);
  return [`level  ${visible(levelOf(peaks))}`, ...loudnessOf(clip), `[${drawPeaks(peaks.peaks)}]`, ...versions];
};
