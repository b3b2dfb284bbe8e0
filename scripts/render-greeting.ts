/** Encodes assets/greeting.wav as an upload would be; part of make-assets.sh. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createIngest } from '../src/audio/ingest.ts';
import { CODECS } from '../src/domain/codec.ts';
import { DEFAULT_PROCESSING } from '../src/domain/media.ts';

const asset = (name: string): string => fileURLToPath(new URL(`../assets/${name}`, import.meta.url));
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const scratchDirectory = await mkdtemp(join(tmpdir(), 'ringcast-assets-'));
const ingest = await createIngest({ scratchDirectory, ffmpegPath: null, log: silent });
const { renditions } = await ingest(asset('greeting.wav'), { maxSeconds: 10 }, DEFAULT_PROCESSING);
for (const codec of CODECS) await writeFile(asset(`greeting.${codec.toLowerCase()}`), renditions[codec]);
await ingest.close();
await rm(scratchDirectory, { recursive: true });
