import { open } from 'node:fs/promises';
import type { Ingest, Log } from '../domain/ports.ts';
import { type Container, recogniseContainer } from './container.ts';
import { findMissingOctets } from './cut-short.ts';
import { NARROW_RATE_HZ } from './decode-arguments.ts';
import { decode } from './decoder.ts';
import type { DecoderProgram } from './decoder-process.ts';
import { createRunFfmpeg } from './ffmpeg-run.ts';
import { createGate } from './gate.ts';
import { findHeaderFault } from './header-fault.ts';
import { findFfmpeg, tryNativeFfmpeg } from './native-ffmpeg.ts';
import { notAudio } from './not-audio.ts';
import { octetsOf } from './octets.ts';
import { findLengthFault, readBlockSeconds, readPromisedSeconds } from './promised-length.ts';
import { render } from './renditions.ts';
import { wasmFfmpeg } from './wasm-ffmpeg.ts';
import { inWorkFolder } from './work-folder.ts';

const WAITING_UPLOADS = 32;
const TIME_LIMIT_MS = 120_000;

export interface IngestOptions {
  /** An existing folder; every decoding has an empty folder of its own in it, and leaves nothing. */
  readonly scratchDirectory: string;
  /** Which FFmpeg to run; null for the WebAssembly build; absent for the first one on PATH that works, if any. */
  readonly ffmpegPath?: string | null;
  /** How long one run of FFmpeg may take; two minutes if left out. */
  readonly timeLimitMs?: number;
  readonly log: Log;
}

/** What a file was found to be. */
interface Inspected {
  readonly container: Container;
  readonly promisedSeconds: number | null;
  readonly blockSeconds: number | null;
}

/** Refuses before any decoder is started what is no audio file, or is one cut short. */
const inspect = async (path: string): Promise<Inspected> => {
  const handle = await open(path);
  try {
    const file = await octetsOf(handle);
    const container = await recogniseContainer(file);
    if (container === null) throw notAudio('The file is not audio.');
    const headerFault = await findHeaderFault(file, container);
    if (headerFault !== null) throw notAudio(`${headerFault}.`);
    const fault = (await findLengthFault(file, container)) ?? (await findMissingOctets(file, container));
    if (fault !== null) throw notAudio(`The file is cut short: ${fault}.`);
    const promisedSeconds = await readPromisedSeconds(file, container);
    return { container, promisedSeconds, blockSeconds: await readBlockSeconds(file, container) };
  } finally {
    await handle.close();
  }
};

const SLACK_SECONDS = 0.1;

const expectSeconds = (samples: Float32Array, promisedSeconds: number | null): void => {
  const seconds = samples.length / NARROW_RATE_HZ;
  if (promisedSeconds === null || seconds > promisedSeconds - SLACK_SECONDS) return;
  throw notAudio(`The file is damaged or cut short: it promises ${promisedSeconds} seconds and holds ${seconds}.`);
};

const MAX_BLOCK_SECONDS = 0.3;

/** Cuts off what fills up the last block of a file. Beyond a block the header is wrong: then what was decoded counts. */
const withoutFilling = (samples: Float32Array, blockSeconds: number | null): Float32Array => {
  const sound = Math.ceil((blockSeconds ?? Infinity) * NARROW_RATE_HZ);
  const isFilling = sound < samples.length && sound >= samples.length - MAX_BLOCK_SECONDS * NARROW_RATE_HZ;
  return isFilling ? samples.subarray(0, sound) : samples;
};

const chooseProgram = async ({ ffmpegPath, log }: IngestOptions, directory: string): Promise<DecoderProgram> => {
  if (ffmpegPath === null) return wasmFfmpeg(directory);
  const path = ffmpegPath ?? (await findFfmpeg(process.env.PATH ?? ''));
  if (path === null) return wasmFfmpeg(directory);
  const native = await tryNativeFfmpeg(path, directory);
  if (native) return native;
  if (ffmpegPath !== undefined) throw new Error(`${path} is not an FFmpeg that can decode audio here.`);
  log.warn({ path }, 'the ffmpeg found on PATH cannot decode audio here; using the WebAssembly build');
  return wasmFfmpeg(directory);
};

const KEEPS_NETWORK =
  'the decoder keeps its network, since this system lets no process give it up: only its list of protocols is in the way';

const tellChoice = (log: Log, { description, isolation }: DecoderProgram): void => {
  log.info({ decoder: description, isolation: isolation.description }, 'audio decoder chosen');
  if (isolation.hasNetwork) log.warn({}, KEEPS_NETWORK);
};

/** An `Ingest`, and which decoder it uses, for people. */
export type DescribedIngest = Ingest & { readonly describeDecoder: () => string };

/** Chooses the decoder, once, and tells the log. Throws an Error if `ffmpegPath` names a program that cannot decode. */
export const createIngest = async (options: IngestOptions): Promise<DescribedIngest> => {
  const program = await inWorkFolder(options.scratchDirectory, ({ empty }) => chooseProgram(options, empty));
  tellChoice(options.log, program);
  const run = createRunFfmpeg(program, options.log, options.timeLimitMs ?? TIME_LIMIT_MS);
  const gate = createGate({ running: program.atOnce, waiting: WAITING_UPLOADS });
  const ingest: Ingest = async (path, { maxSeconds }, processing) => {
    const { container, promisedSeconds, blockSeconds } = await inspect(path);
    const order = { demuxer: container.demuxer, maxSeconds, telephoneBand: processing.telephoneBand };
    return gate(() =>
      inWorkFolder(options.scratchDirectory, async (folder) => {
        const decoded = await decode(run, path, order, folder);
        expectSeconds(decoded.narrow, promisedSeconds);
        const sound = { ...decoded, narrow: withoutFilling(decoded.narrow, blockSeconds) };
        return { ...(await render(run, sound, processing, folder)), type: container.type };
      }),
    );
  };
  return Object.assign(ingest, { describeDecoder: () => program.description });
};
