import { open } from 'node:fs/promises';
import type { Ingest, Log } from '../domain/ports.ts';
import { type Container, recogniseContainer } from './container.ts';
import { findMissingOctets } from './cut-short.ts';
import { NARROW_RATE_HZ } from './decode-arguments.ts';
import { decode } from './decoder.ts';
import { createRunFfmpeg } from './ffmpeg-run.ts';
import { createGate } from './gate.ts';
import { findHeaderFault } from './header-fault.ts';
import type { IngestSettings } from './ingest-messages.ts';
import { notAudio } from './not-audio.ts';
import { octetsOf } from './octets.ts';
import { findLengthFault, readBlockSeconds, readPromisedSeconds } from './promised-length.ts';
import { render } from './renditions.ts';
import { inWorkFolder } from './work-folder.ts';

const WAITING_UPLOADS = 32;

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

/** Takes what `settings.program` decodes, a few files at once; what it needs of disk lies in the scratch folder meanwhile. */
export const createIngestFile = (settings: IngestSettings, log: Pick<Log, 'debug'>): Ingest => {
  const { program, scratchDirectory, timeLimitMs } = settings;
  const run = createRunFfmpeg(program, log, timeLimitMs);
  const gate = createGate({ running: program.atOnce, waiting: WAITING_UPLOADS });
  return async (path, { maxSeconds }, processing) => {
    const { container, promisedSeconds, blockSeconds } = await inspect(path);
    const order = { demuxer: container.demuxer, maxSeconds, telephoneBand: processing.telephoneBand };
    return gate(() =>
      inWorkFolder(scratchDirectory, async (folder) => {
        const decoded = await decode(run, path, order, folder);
        expectSeconds(decoded.narrow, promisedSeconds);
        const sound = { ...decoded, narrow: withoutFilling(decoded.narrow, blockSeconds) };
        return { ...(await render(run, sound, processing, folder)), type: container.type };
      }),
    );
  };
};
