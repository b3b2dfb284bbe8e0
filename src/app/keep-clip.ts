import { AppError } from '../domain/app-error.ts';
import { DEFAULT_PROCESSING, type Processing } from '../domain/media.ts';
import { PART_BYTES } from '../domain/partial-upload.ts';
import type { Ingest, RandomSource } from '../domain/ports.ts';
import type { NewClip, Store, Transaction } from '../domain/store-port.ts';
import { type JudgeEarlyOptions, judgedEarly } from './judge-early.ts';
import type { OpenScratchFile, ScratchFile } from './scratch-file.ts';
import { timeOrderedId } from './time-ordered-id.ts';

/** A hash fed in parts. */
export interface Hasher {
  update(octets: Uint8Array): void;
  /** Lower-case hex of everything fed. */
  hex(): string;
}

export interface KeepClipOptions extends JudgeEarlyOptions {
  readonly store: Store;
  readonly ingest: Ingest;
  readonly random: RandomSource;
  readonly openScratchFile: OpenScratchFile;
  readonly startSha256: () => Hasher;
  readonly maxUploadBytes: number;
}

/** The octets of one file as they arrive. */
export interface IncomingFile {
  /** Octets announced by the sender, null if it did not say. */
  readonly declaredBytes: number | null;
  /** Throws `upload_cut` when the line breaks. */
  readonly octets: AsyncIterable<Uint8Array>;
}

export interface KeptClip {
  readonly mediaId: string;
  readonly originalBytes: number;
}

/** What is committed together with a clip, or refuses it. */
export type AlsoCommit = (tx: Transaction, clip: NewClip) => Promise<void>;

/**
 * Receives a file, decodes it, and makes it the current clip of a media together with `alsoCommit`. Nothing is kept
 * unless all of it succeeds. Throws `upload_empty`, `upload_cut`, `upload_too_large`, `upload_too_long`,
 * `not_audio`, `ingest_busy`, `not_found`, `disk_full`, `store_unavailable`.
 */
export const keepClip = async (
  options: KeepClipOptions,
  mediaId: string,
  incoming: IncomingFile,
  alsoCommit: AlsoCommit,
): Promise<KeptClip> => {
  refuseDeclared(incoming.declaredBytes, options.maxUploadBytes);
  const file = await options.openScratchFile();
  try {
    const received = await receive(file, incoming.octets, options);
    const processing = await processingOf(options.store, mediaId);
    const audio = await options.ingest(file.path, { maxSeconds: options.maxClipSeconds }, processing);
    const id = await options.store.view((views) => timeOrderedId(views, options.random));
    await keep(options.store, { id, mediaId, ...received, audio }, file, alsoCommit);
    return { mediaId, originalBytes: received.originalBytes };
  } finally {
    await file.remove();
  }
};

const processingOf = async (store: Store, mediaId: string): Promise<Processing> => {
  const media = await store.view((views) => views.findMedia(mediaId));
  return media?.processing ?? DEFAULT_PROCESSING;
};

/** Throws `upload_empty` and `upload_too_large` for a length that needs no look at the octets. */
export const refuseDeclared = (declaredBytes: number | null, maxUploadBytes: number): void => {
  if (declaredBytes === 0) throw empty();
  if (declaredBytes !== null && declaredBytes > maxUploadBytes) throw tooLarge(maxUploadBytes);
};

const receive = async (
  file: ScratchFile,
  octets: AsyncIterable<Uint8Array>,
  options: KeepClipOptions,
): Promise<Pick<NewClip, 'digest' | 'originalBytes'>> => {
  const hasher = options.startSha256();
  let originalBytes = 0;
  for await (const chunk of judgedEarly(octets, options)) {
    originalBytes += chunk.length;
    if (originalBytes > options.maxUploadBytes) throw tooLarge(options.maxUploadBytes);
    hasher.update(chunk);
    await file.append(chunk);
  }
  if (originalBytes === 0) throw empty();
  return { digest: hasher.hex(), originalBytes };
};

const keep = async (store: Store, clip: NewClip, file: ScratchFile, alsoCommit: AlsoCommit): Promise<void> => {
  try {
    await stage(store, clip.id, file);
    await commit(store, clip, alsoCommit);
  } catch (error) {
    // If this fails too, the next start sweeps them; what the sender is told is why the upload failed.
    await store.transact((tx) => tx.dropStaged(clip.id)).catch(() => undefined);
    throw error;
  }
};

/** Each part in a transaction of its own, so that a large file never holds up the commits of others. */
const stage = async (store: Store, clipId: string, file: ScratchFile): Promise<void> => {
  let part = 0;
  for await (const octets of file.parts(PART_BYTES)) {
    const number = part;
    await store.transact((tx) => tx.stageOriginal(clipId, number, octets));
    part += 1;
  }
};

const commit = (store: Store, clip: NewClip, alsoCommit: AlsoCommit): Promise<void> =>
  store.transact(async (tx) => {
    // First what may refuse: a grant that was revoked with its media is told as such.
    await alsoCommit(tx, clip);
    await tx.insertClip(clip);
  });

const empty = (): AppError => new AppError('upload_empty', 'The upload holds no octets: send an audio file.');

const tooLarge = (maxUploadBytes: number): AppError =>
  new AppError('upload_too_large', `The file is larger than the ${maxUploadBytes} octets allowed.`);
