/** Draws docs/response.svg: how flat the renditions are, and how far down images lie. Needs ffmpeg. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createIngest } from '../src/audio/ingest.ts';
import { aliasOf, measureResponse, type Response, range } from '../test/support/response.ts';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const WIDTH = 900;
const PANEL_HEIGHT = 260;
const MARGIN = { left: 60, top: 40, bottom: 50, right: 150 };

interface Curve {
  readonly label: string;
  readonly colour: string;
  readonly points: readonly Response[];
}

interface Panel {
  readonly title: string;
  readonly maxHz: number;
  readonly db: readonly [lowest: number, highest: number, step: number];
  /** What must not be crossed. */
  readonly limits: readonly { readonly fromHz: number; readonly toHz: number; readonly db: number }[];
  readonly curves: readonly Curve[];
}

const scales = ({ maxHz, db: [lowest, highest] }: Panel, top: number) => ({
  x: (hz: number): number => MARGIN.left + (hz / maxHz) * (WIDTH - MARGIN.left - MARGIN.right),
  y: (db: number): number =>
    top + MARGIN.top + ((highest - Math.max(db, lowest)) / (highest - lowest)) * (PANEL_HEIGHT - MARGIN.top),
});

const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${x}" y="${y}" ${more}>${words}</text>`;
const line = (x1: number, y1: number, x2: number, y2: number, style: string): string =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" ${style}/>`;

const drawGrid = (panel: Panel, top: number): string[] => {
  const { x, y } = scales(panel, top);
  const [lowest, highest, step] = panel.db;
  const grid = 'stroke="#ddd"';
  const rows = range(lowest, highest, step).flatMap((db) => [
    line(x(0), y(db), x(panel.maxHz), y(db), grid),
    text(x(0) - 8, y(db) + 4, `${db} dB`, 'text-anchor="end"'),
  ]);
  const columns = range(0, panel.maxHz, panel.maxHz / 10).flatMap((hz) => [
    line(x(hz), y(lowest), x(hz), y(highest), grid),
    text(x(hz), y(lowest) + 18, `${hz / 1000} kHz`, 'text-anchor="middle"'),
  ]);
  return [...rows, ...columns, text(x(0), top + 24, panel.title, 'font-weight="bold"')];
};

const drawCurves = (panel: Panel, top: number): string[] => {
  const { x, y } = scales(panel, top);
  const limits = panel.limits.map(({ fromHz, toHz, db }) =>
    line(x(fromHz), y(db), x(toHz), y(db), 'stroke="#c00" stroke-dasharray="6 4" stroke-width="1.5"'),
  );
  const curves = panel.curves.flatMap(({ label, colour, points }, index) => {
    const path = points.map(({ hz, gainDb }) => `${x(hz).toFixed(1)},${y(gainDb).toFixed(1)}`).join(' ');
    const at = top + MARGIN.top + 16 + index * 18;
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
      text(WIDTH - MARGIN.right + 10, at, label, `fill="${colour}"`),
    ];
  });
  return [...limits, ...curves];
};

const draw = (panels: readonly Panel[]): string => {
  const height = panels.length * (PANEL_HEIGHT + MARGIN.bottom);
  const drawn = panels.flatMap((panel, index) => {
    const top = index * (PANEL_HEIGHT + MARGIN.bottom);
    return [...drawGrid(panel, top), ...drawCurves(panel, top)];
  });
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`;
  return [
    open,
    '<title>Frequency response and images of the renditions</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
};

const directory = await mkdtemp(join(tmpdir(), 'ringcast-response-'));
const file = {
  ingest: await createIngest({ scratchDirectory: directory, log: SILENT }),
  path: join(directory, 'tones.wav'),
};

const flatness = async (codec: 'PCMU' | 'G722', rateHz: number, colour: string): Promise<Curve> => {
  const highestHz = Math.min(rateHz / 2, codec === 'PCMU' ? 4000 : 8000);
  const frequenciesHz = range(100, highestHz - 50, 50);
  return {
    label: `${codec} of ${rateHz} Hz`,
    colour,
    points: await measureResponse({ ...file, codec, rateHz, frequenciesHz }),
  };
};

const images = async (rateHz: number, colour: string): Promise<Curve> => {
  const frequenciesHz = range(4100, Math.min(rateHz * 0.48, 20_000), 150).filter((hz) => aliasOf(hz) > 100);
  const points = await measureResponse({ ...file, codec: 'PCMU', rateHz, frequenciesHz, heardAt: aliasOf });
  return { label: `PCMU of ${rateHz} Hz`, colour, points };
};

const svg = draw([
  {
    title: 'Frequency response of the renditions: flat within 0.5 dB from 300 to 3,400 Hz',
    maxHz: 8000,
    db: [-6, 2, 1],
    limits: [0.5, -0.5].map((db) => ({ fromHz: 300, toHz: 3400, db })),
    curves: [
      await flatness('PCMU', 8000, '#06c'),
      await flatness('PCMU', 44_100, '#393'),
      await flatness('PCMU', 48_000, '#c60'),
      await flatness('G722', 48_000, '#909'),
    ],
  },
  {
    title: 'Images of tones that the telephone cannot carry: below -60 dB (-120 dB stands for nothing at all)',
    maxHz: 20_000,
    db: [-120, 0, 20],
    limits: [{ fromHz: 4600, toHz: 20_000, db: -60 }],
    curves: [await images(16_000, '#06c'), await images(44_100, '#393'), await images(48_000, '#c60')],
  },
]);
await writeFile(fileURLToPath(new URL('../docs/response.svg', import.meta.url)), svg);
await rm(directory, { recursive: true });
