/** Octets of a stored part at most; every part but the last of a file is as long. */
export const PART_BYTES = 1024 * 1024;

/** Resumable uploads that a grant may have begun at once; with one more, the oldest dies. */
export const MAX_PARTIAL_UPLOADS = 4;

/**
 * A resumable upload that is not complete. Its last octet counts as missing until its clip is committed: whoever asks
 * after a crash, or after a refusal that may pass, is told to send that octet again, and so to finish again.
 */
export interface PartialUpload {
  readonly id: string;
  /** Octets of the whole file. */
  readonly sizeBytes: number;
  /** Octets that are there, at most one less than the whole. */
  readonly offsetBytes: number;
  /** What the sender told about the file, by name. */
  readonly metadata: Readonly<Record<string, string | null>>;
}
