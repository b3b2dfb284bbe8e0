import type { FileHandle } from 'node:fs/promises';

/** The octets at `offset`; those beyond the file's end are zero. */
export const readAt = async (file: FileHandle, offset: number, bytes: number): Promise<Buffer> =>
  (await file.read(Buffer.alloc(bytes), 0, bytes, offset)).buffer;
