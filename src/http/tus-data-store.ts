import type { Readable } from 'node:stream';
import { DataStore, Upload } from '@tus/server';
import type { ResumableUploads } from '../app/resume-upload.ts';
import type { OpenScratchFile } from '../app/scratch-file.ts';
import { PART_BYTES } from '../domain/partial-upload.ts';
import { checked, type ExpectedDigest } from './digest-check.ts';

export interface TusDataStoreOptions {
  readonly uploads: ResumableUploads;
  /** Digests of the body of this request. */
  readonly digests: readonly ExpectedDigest[];
  readonly openScratchFile: OpenScratchFile;
}

/** What `@tus/server` reads and writes while it answers one request: the uploads of one grant. A class because it asks for one. */
export class TusDataStore extends DataStore {
  readonly #options: TusDataStoreOptions;

  constructor(options: TusDataStoreOptions) {
    super();
    this.#options = options;
    // Checksum and expiration are ours: the library does not know the one, and counts the other by its own clock.
    this.extensions = ['creation', 'creation-with-upload', 'termination'];
  }

  override async create(upload: Upload): Promise<Upload> {
    const { grantid: _secret, ...metadata } = upload.metadata ?? {};
    await this.#options.uploads.begin({ id: upload.id, sizeBytes: upload.size ?? 0, metadata });
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const { sizeBytes, offsetBytes, metadata } = await this.#options.uploads.find(id);
    const hasMetadata = Object.keys(metadata).length > 0;
    return new Upload({ id, size: sizeBytes, offset: offsetBytes, ...(hasMetadata ? { metadata } : {}) });
  }

  override remove(id: string): Promise<void> {
    return this.#options.uploads.drop(id);
  }

  override write(stream: Readable, id: string, offset: number): Promise<number> {
    const { uploads, digests } = this.#options;
    return digests.length === 0 ? uploads.append(id, offset, stream) : this.#writeChecked(stream, id, offset);
  }

  /** A part that is checked is kept aside until all of it is there and right. */
  async #writeChecked(stream: Readable, id: string, offset: number): Promise<number> {
    const { uploads, digests, openScratchFile } = this.#options;
    const file = await openScratchFile();
    try {
      for await (const octets of checked(stream, digests)) await file.append(octets);
      return await uploads.append(id, offset, file.parts(PART_BYTES));
    } finally {
      await file.remove();
    }
  }
}
