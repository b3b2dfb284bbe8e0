/** A file of its own on the scratch disk, for octets that are still to be judged. */
export interface ScratchFile {
  readonly path: string;
  /** Throws `disk_full`. */
  append(octets: Uint8Array): Promise<void>;
  /** What was appended, in parts of `partBytes` (the last one shorter). */
  parts(partBytes: number): AsyncIterable<Uint8Array>;
  remove(): Promise<void>;
}

export type OpenScratchFile = () => Promise<ScratchFile>;
