import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../cli/failure.ts';
import { inSeconds } from '../cli/text.ts';
import { childEnvironment, operatorTokenIn } from './environment.ts';
import { demoFiles } from './files.ts';
import { perform } from './perform.ts';
import { provision, uploadClip } from './provision.ts';
import { sentAudio } from './sent-audio.ts';
import { openStage } from './stage.ts';
import { type Nursery, withChildren } from './with-children.ts';

const SAMPLES_PER_MS = 8;
const ANY_PORTS = { public: 0, operator: 0, sip: 0 };

const rehearse = async (executable: string, dataDirectory: string, nursery: Nursery): Promise<string> => {
  const environment = childEnvironment(process.env, []);
  const stage = await openStage({
    executable,
    dataDirectory,
    environment,
    ports: ANY_PORTS,
    phonePort: 0,
    ...nursery,
  });
  const { signal } = nursery;
  const made = await provision(stage, await operatorTokenIn(dataDirectory, undefined), signal);
  const clips = (await demoFiles([], undefined)).slice(0, 1);
  const mediaIds = await Promise.all(clips.map(({ name, path }) => uploadClip(made, name, path)));
  const sent = await sentAudio(made, mediaIds);
  const { comparison, difference } = await perform({
    stage,
    made,
    mediaIds,
    sent,
    signal,
    onProgress: () => undefined,
  });
  if (difference !== null) throw new Failure(`what was heard differs from what was sent: ${difference}`);
  return `${inSeconds(comparison.heardSamples / SAMPLES_PER_MS)} of audio heard, every sample as it was sent`;
};

/** For `ringcast doctor`: one call in a temporary data directory; what was found, or a Failure. */
export const callItself = async (executable: string): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-doctor-'));
  try {
    return await withChildren((nursery) => rehearse(executable, directory, nursery));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};
