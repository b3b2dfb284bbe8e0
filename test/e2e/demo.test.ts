import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readWav } from '../../src/rtp/wav.ts';
import { makeDirectory } from '../support/ringcast.ts';
import { toneWav } from '../support/scenario.ts';
import { ringcastEnds, spawnRingcast } from '../support/server-process.ts';

const MP3 = fileURLToPath(new URL('../fixtures/sample-1.mp3', import.meta.url));
const DEMO_LIMIT_MS = 120_000;

let directory: string;
beforeEach(async () => {
  directory = await makeDirectory();
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const demo = (files: readonly string[] = [], environment: Record<string, string> = {}) =>
  ringcastEnds(['demo', ...files], environment, { cwd: directory });

const equal = (label: string) => new RegExp(`${label} +[1-9][0-9]* samples, 0 differ, first and last 20 ms included`);

const expectHeard = (output: string): void => {
  for (const label of ['lead-in', 'greeting', 'gap', 'clip 1 of 2', 'clip 2 of 2', 'tail'])
    expect(output).toMatch(equal(label));
  expect(output).toMatch(/whole call +[0-9]+ samples heard, as many as were sent/);
};

describe('ringcast demo', () => {
  it(
    'rings the phone, shows the call live, and what was heard is what was sent',
    async () => {
      const { status, output, errors } = await demo();
      expect([status, errors]).toEqual([0, '']);
      for (const step of ['ringing', 'greeting, ', 'clip 1 of 2, ', 'clip 2 of 2, ', 'done'])
        expect(output).toContain(step);
      expectHeard(output);
      const [, recording = ''] = /Recording: (.+)/.exec(output) ?? [];
      expect(readWav(await readFile(join(directory, recording))).samples.length).toBeGreaterThan(8000);
    },
    DEMO_LIMIT_MS,
  );

  it(
    'prints curl lines that work as printed on the data it leaves, also before the phone is started again',
    async () => {
      const { output } = await demo();
      const lines = output.split('\n').filter((line) => line.trim().startsWith('curl '));
      expect(lines).toHaveLength(3);
      const server = await spawnRingcast(join(directory, 'data'));
      const trunk = (await server.api.operator('GET', '/trunks')).body.items[0];
      expect(trunk.healthCheck).toBe('none');
      const { host } = new URL(server.publicUrl);
      // The documented port may be taken on this machine: only that is exchanged.
      const answers = lines.map((line) => promisify(execFile)('sh', ['-c', line.replace('127.0.0.1:8080', host)]));
      const [blast, grant, seen] = (await Promise.all(answers)).map(({ stdout }) => JSON.parse(stdout));
      await server.kill();
      expect([blast.MediaResponse.status, grant.UploadResponse.status, seen.state]).toEqual([202, 201, 'finished']);
    },
    DEMO_LIMIT_MS,
  );

  it(
    'plays WAV and MP3 of the user without any ffmpeg on the PATH',
    async () => {
      const wav = join(directory, 'mine.wav');
      await writeFile(wav, toneWav(600, 20));
      const { status, output, errors } = await demo([wav, MP3], { PATH: directory });
      expect([status, errors]).toEqual([0, '']);
      expectHeard(output);
    },
    DEMO_LIMIT_MS,
  );

  it(
    'ends with 1 and one sentence for a file that is no audio, and leaves no upload behind',
    async () => {
      const file = join(directory, 'letter.txt');
      await writeFile(file, 'Dear all, the school is closed today.');
      const { status, errors } = await demo([file]);
      expect([status, errors.trim().split('\n').length]).toEqual([1, 1]);
      expect(await readdir(join(directory, 'data/scratch'))).toEqual([]);
    },
    DEMO_LIMIT_MS,
  );
});
