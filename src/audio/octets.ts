import type { FileHandle } from 'node:fs/promises';

/** Octets that can be looked at anywhere: of a file, or of what has arrived of one. */
export interface Octets {
  readonly size: number;
  /** Fewer than asked for where they end. */
  read(offset: number, bytes: number): Promise<Buffer>;
}

/** What an open file holds now. */
export const octetsOf = async (file: FileHandle): Promise<Octets> => ({
  size: (await file.stat()).size,
  async read(offset, bytes) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset);
    return buffer.subarray(0, bytesRead);
  },
});

export const octetsIn = (octets: Uint8Array): Octets => ({
  size: octets.length,
  read: async (offset, bytes) => Buffer.from(octets.subarray(offset, offset + bytes)),
});

/** The octets at `offset`; those beyond the end are zero. */
export const readAt = async (octets: Octets, offset: number, bytes: number): Promise<Buffer> => {
  const there = await octets.read(offset, bytes);
  return there.length === bytes ? there : Buffer.concat([there], bytes);
};
