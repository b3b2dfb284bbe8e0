import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Environment } from './connection.ts';
import { Failure } from './failure.ts';

/** Programs that play a WAV file and end with it, the first that is found is taken. */
const PLAYERS: readonly (readonly [program: string, ...args: readonly string[]])[] = [
  ['aplay', '-q'],
  ['paplay'],
  ['ffplay', '-nodisp', '-autoexit', '-loglevel', 'error'],
  ['play', '-q'],
  ['afplay'],
];

const NAMES = PLAYERS.map(([program]) => program).join(', ');

/** Plays a WAV file by a program of this machine. Throws a Failure if there is none, or if it fails. */
export const playClip = async (wav: Uint8Array, environment: Environment = process.env): Promise<void> => {
  const [program, ...args] = await findPlayer(environment);
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-play-'));
  try {
    const file = join(directory, 'clip.wav');
    await writeFile(file, wav);
    const player = spawn(program, [...args, file], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [status] = await once(player, 'exit');
    if (status !== 0) throw new Failure(`${program} could not play it: keep it with --out FILE and play that.`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

const findPlayer = async ({ PATH = '' }: Environment): Promise<readonly [string, ...string[]]> => {
  for (const [program, ...args] of PLAYERS)
    for (const folder of PATH.split(delimiter)) {
      const path = join(folder, program);
      if (folder !== '' && (await canRun(path))) return [path, ...args];
    }
  throw new Failure(`no player was found (${NAMES}): install one, or keep the clip with --out FILE.`);
};

const canRun = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
