/** Writes docs/formats.md: what Ringcast makes of files of every format, by FFmpeg as a program and in WebAssembly. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createIngest } from '../src/audio/ingest.ts';
import type { Ingest } from '../src/domain/ports.ts';
import { FORMATS, type FormatCase, findingOf, makeFile, makeSpeech, rowOf } from '../test/support/formats.ts';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const INTRODUCTION = `# Formats

What Ringcast makes of files of each format, written by \`node scripts/format-table.ts\` and checked by
\`test/interop/formats.test.ts\`. Every file holds the same 3.99 seconds of speech at about -30 LUFS, written by Debian's
ffmpeg or sox; level and length are those of the PCMU rendition, levelled and not trimmed. A clip is whole frames of
20 ms, so that an error of 10 ms is the filling of its last one.

FFmpeg's own IMA ADPCM and AAC in ADTS cannot tell what fills up their last block: up to 50 ms of silence stay, and
go when the clip is trimmed.
`;

const COLUMNS = [
  'format',
  'width',
  'rate',
  'channels',
  'written by',
  'native: level',
  'length',
  'WebAssembly: level',
  'length',
];

const directory = await mkdtemp(join(tmpdir(), 'ringcast-formats-'));
const options = { scratchDirectory: directory, log: SILENT };
const decoders: readonly Ingest[] = [await createIngest(options), await createIngest({ ...options, ffmpegPath: null })];
const speech = await makeSpeech(directory);

const lineOf = async (format: FormatCase): Promise<string> => {
  const path = makeFile(directory, speech, format);
  const findings = [];
  for (const ingest of decoders) findings.push(await findingOf(ingest, path));
  return rowOf(format, findings);
};

const lines = [];
for (const format of FORMATS) lines.push(await lineOf(format));
const table = [`| ${COLUMNS.join(' | ')} |`, `|${COLUMNS.map(() => '---').join('|')}|`, ...lines];
await writeFile(
  fileURLToPath(new URL('../docs/formats.md', import.meta.url)),
  `${INTRODUCTION}\n${table.join('\n')}\n`,
);
await rm(directory, { recursive: true });
