import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../cli/failure.ts';
import { inSeconds } from '../cli/text.ts';
import type { Child } from './child.ts';
import { childEnvironment, operatorTokenIn } from './environment.ts';
import { demoFiles } from './files.ts';
import { listenForInterrupt } from './interrupt.ts';
import { perform } from './perform.ts';
import { provision, uploadClip } from './provision.ts';
import { sentAudio } from './sent-audio.ts';
import { openStage } from './stage.ts';

const ANY_PORTS = { public: 0, operator: 0, sip: 0 };

const rehearse = async (
  executable: string,
  dataDirectory: string,
  signal: AbortSignal,
  onChild: (child: Child) => void,
): Promise<string> => {
  const environment = childEnvironment(process.env, []);
  const stage = await openStage({
    executable,
    dataDirectory,
    environment,
    ports: ANY_PORTS,
    phonePort: 0,
    signal,
    onChild,
  });
  const made = await provision(stage, await operatorTokenIn(dataDirectory, undefined), signal);
  const [file] = await demoFiles([], undefined);
  const mediaIds = file === undefined ? [] : [await uploadClip(made, file.name, file.path)];
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
  return `${inSeconds(comparison.heardSamples / 8)} of audio heard, every sample as it was sent`;
};

/** For `ringcast doctor`: one call in a temporary data directory; what was found, or a Failure. */
export const callItself = async (executable: string): Promise<string> => {
  const interrupt = listenForInterrupt();
  const children: Child[] = [];
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-doctor-'));
  try {
    return await rehearse(executable, directory, interrupt.signal, (child) => children.push(child));
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await rm(directory, { recursive: true, force: true });
    interrupt.dispose();
  }
};
