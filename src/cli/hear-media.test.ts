import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CommandLine, openCommandLine } from '../../test/support/command-line.ts';
import { drawPeaks, levelOf } from './waveform.ts';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli.close());

const loudness = { sourceLufs: -31.5, lufs: -20, truePeakDbfs: -6 };
const CLIP = { durationMs: 3400, bytes: 27_244, type: 'audio/wav', createdAt: '2026-11-21T02:36:09Z', loudness };
const VERSIONS = [
  { ...CLIP, id: 'c2', sha256: 'cd'.repeat(32), current: true, renditions: [{ codec: 'PCMU', bytes: 27_200 }] },
  { ...CLIP, id: 'c1', sha256: 'ab'.repeat(32), current: false, renditions: [] },
];
const answerMedia = (clip: typeof CLIP | null): void => {
  cli.answers['GET /operator/v1/media/101'] = { json: { id: '101', name: 'News', clip, applicationIds: [] } };
  cli.answers['GET /operator/v1/media/101/clips'] = { json: { items: clip ? VERSIONS : [], next: null } };
};

test('media show tells length, level, waveform, and versions with their renditions', async () => {
  answerMedia(CLIP);
  const peaks = {
    peakDbfs: -6,
    rmsDbfs: -20.5,
    peaks: [
      [-0.5, 0.2],
      [0, 1],
      [0, 0],
    ],
  };
  cli.answers['GET /operator/v1/media/101/peaks?points=60'] = { json: peaks };
  const { status, out } = await cli.operator('media', 'show', '101');
  expect(status).toBe(0);
  expect(out).toMatch(/clip +3\.4 s, audio\/wav\n/);
  expect(out).toContain('level  -6.0 dBFS at its loudest, -20.5 dBFS on average\n');
  expect(out).toContain('loudness  -20.0 LUFS, true peak -6.0 dBFS; -31.5 LUFS as it was uploaded\n[▄█ ]\n');
  expect(out).toMatch(/\nc2 +yes .* 3\.4 s +-20\.0 LUFS +audio\/wav +27244 +PCMU 27200 +(cd){32}\nc1 +- .*(ab){32}\n$/);
});

test('media show of an empty media, and as JSON, asks for no more than there is', async () => {
  answerMedia(null);
  expect((await cli.operator('media', 'show', '101')).out).toMatch(/clip +none yet\n/);
  const { out } = await cli.operator('media', 'show', '101', '--json');
  expect(JSON.parse(out)).toMatchObject({ id: '101', clip: null });
});

test('a waveform is drawn by its louder half, and silence is told', () => {
  expect(
    drawPeaks([
      [-1, 0],
      [-0.01, 0.01],
      [0, 0],
      [-0.2, 0.6],
    ]),
  ).toBe('█▁ ▅');
  expect(levelOf({ peakDbfs: null, rmsDbfs: null, peaks: [] })).toBe('silence');
});

const withPlayers = async (players: Record<string, string>): Promise<void> => {
  const folder = join(cli.directory, 'bin');
  await mkdir(folder);
  for (const [name, script] of Object.entries(players)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  vi.stubEnv('PATH', folder);
};

test('media play hands the clip to the first player there is', async () => {
  cli.answers['GET /api/v1/media/101/audio'] = { body: 'WAV' };
  const heard = join(cli.directory, 'heard');
  // `-nodisp -autoexit -loglevel error FILE`; nothing but the shell's own commands is on this PATH.
  await withPlayers({ play: 'exit 9', ffplay: `read -r octets < "$5" || :; echo "$1 $octets" > ${heard}` });
  const { status, err } = await cli.withKey('media', 'play', '101');
  expect([status, err]).toEqual([0, '']);
  expect(await readFile(heard, 'utf8')).toBe('-nodisp WAV\n');
});

test('media play tells of a player that fails, of none at all, and writes a file instead', async () => {
  cli.answers['GET /api/v1/media/101/audio'] = { body: 'WAV' };
  await withPlayers({ aplay: 'exit 3' });
  const failed = await cli.withKey('media', 'play', '101');
  expect([failed.status, failed.err]).toEqual([1, expect.stringMatching(/aplay could not play it: .*--out FILE/)]);
  vi.stubEnv('PATH', '');
  const none = await cli.withKey('media', 'play', '101');
  expect([none.status, none.err]).toEqual([1, expect.stringMatching(/^ringcast: no player was found \(aplay, /)]);
  const file = join(cli.directory, 'clip.wav');
  expect((await cli.withKey('media', 'play', '101', '--out', file)).status).toBe(0);
  expect(await readFile(file, 'utf8')).toBe('WAV');
});
