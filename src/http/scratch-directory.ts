import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenScratchFile, ScratchFile } from '../app/scratch-file.ts';
import { AppError } from '../domain/app-error.ts';

/** Opens files of random names, for this user only, in `directory`. */
export const scratchFilesIn =
  (directory: string): OpenScratchFile =>
  async () => {
    const path = join(directory, `upload-${randomUUID()}`);
    return scratchFile(path, await onDisk(open(path, 'wx+', 0o600)));
  };

const scratchFile = (path: string, file: FileHandle): ScratchFile => ({
  path,
  append: (octets) => onDisk(appendAll(file, octets)),
  parts: (partBytes) => partsOf(file, partBytes),
  async remove() {
    await file.close();
    await rm(path, { force: true });
  },
});

const appendAll = async (file: FileHandle, octets: Uint8Array): Promise<void> => {
  let written = 0;
  while (written < octets.length) written += (await file.write(octets, written)).bytesWritten;
};

async function* partsOf(file: FileHandle, partBytes: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(partBytes), 0, partBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const onDisk = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new AppError('disk_full', 'The disk is full.', { cause: error });
    throw error;
  }
};
