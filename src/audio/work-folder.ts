import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder of one ingest's own. */
export interface WorkFolder {
  readonly path: string;
  /** An empty folder in it, for processes to work in. */
  readonly empty: string;
}

/** Gives `work` a folder in `scratchDirectory`, and leaves nothing of it. */
export const inWorkFolder = async <T>(
  scratchDirectory: string,
  work: (folder: WorkFolder) => Promise<T>,
): Promise<T> => {
  const path = await mkdtemp(join(scratchDirectory, 'ingest-'));
  try {
    const empty = join(path, 'empty');
    await mkdir(empty);
    return await work({ path, empty });
  } finally {
    await rm(path, { recursive: true });
  }
};
