/**
 * Ingests files and nothing else, for whoever watches what it and its decoders do: `FOLDER FFMPEG|- FILE…`. Tells each
 * file's verdict on a line of its own.
 */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createIngest } from '../../src/audio/ingest.ts';
import { AppError } from '../../src/domain/app-error.ts';
import { DEFAULT_PROCESSING } from '../../src/domain/media.ts';
import { QUIET_LOG } from './quiet-log.ts';

const [folder = '', ffmpeg = '-', ...paths] = process.argv.slice(2);
const scratchDirectory = await mkdtemp(join(folder, 'scratch-'));
const ffmpegPath = ffmpeg === '-' ? null : ffmpeg;
const ingest = await createIngest({ scratchDirectory, ffmpegPath, log: QUIET_LOG });

const verdictOn = async (path: string): Promise<string> => {
  try {
    await ingest(path, { maxSeconds: 60 }, DEFAULT_PROCESSING);
    return 'taken';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
};

for (const path of paths) console.log(await verdictOn(path));
