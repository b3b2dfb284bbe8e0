import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder of one ingest's own. */
export interface WorkFolder {
  readonly path: string;
  /** An empty folder in it, for processes to work in. */
  readonly empty: string;
}

const prefixOf = (pid: number): string => `ingest-${pid}-`;

/** Gives `work` a folder in `scratchDirectory`, and leaves nothing of it. */
export const inWorkFolder = async <T>(
  scratchDirectory: string,
  work: (folder: WorkFolder) => Promise<T>,
): Promise<T> => {
  const path = await mkdtemp(join(scratchDirectory, prefixOf(process.pid)));
  try {
    const empty = join(path, 'empty');
    await mkdir(empty);
    return await work({ path, empty });
  } finally {
    await rm(path, { recursive: true });
  }
};

/** Removes what a process left that was ended in the midst of its work. */
export const removeWorkFolders = async (scratchDirectory: string, pid: number): Promise<void> => {
  const left = (await readdir(scratchDirectory)).filter((name) => name.startsWith(prefixOf(pid)));
  await Promise.all(left.map((name) => rm(join(scratchDirectory, name), { recursive: true, force: true })));
};
