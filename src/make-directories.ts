import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it. Not by `recursive: true`, which never returns where a file system refuses with
 * ENOENT, as /proc does. Rejects with the error of the file system, EEXIST if a file is there.
 */
export const makeDirectories = async (path: string, mode: number): Promise<void> => {
  try {
    await makeOne(path, mode);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectories(dirname(path), mode);
    await makeOne(path, mode);
  }
};

/** Another process may make it at the same time. */
const makeOne = async (path: string, mode: number): Promise<void> => {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
};

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
