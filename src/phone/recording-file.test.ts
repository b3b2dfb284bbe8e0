import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWav } from '../rtp/wav.ts';
import { recordingName, writeRecording } from './recording-file.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-recording-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const answeredAt = Date.UTC(2026, 10, 21, 2, 40, 5, 678);

describe('the file of a recording', () => {
  it('is named by time, Call-ID and tag', () => {
    const name = recordingName({ answeredAt, sipCallId: 'abc-123@host', localTag: 'f00d' });
    expect(name).toBe('20261121T024005.678Z-abc-123_host-f00d.wav');
  });

  it.each(['../../etc/passwd', '/etc/passwd', '..', 'a\\b', 'a\0b', "$(reboot)'\n", 'é', 'x'.repeat(5_000)])(
    'stays in its folder, whatever the Call-ID: %j',
    (sipCallId) => {
      const name = recordingName({ answeredAt, sipCallId, localTag: 'f00d' });
      expect(name).toMatch(/^[A-Za-z0-9_.-]{1,140}$/);
      expect(basename(join(directory, name))).toBe(name);
    },
  );

  it('holds the samples as WAV, and is never overwritten', async () => {
    const samples = Int16Array.from([1, -1, 32_767, -32_768]);
    const path = await writeRecording(directory, 'one.wav', samples);
    expect(readWav(await readFile(path))).toEqual({ samples, sampleRateHz: 8_000 });
    await expect(writeRecording(directory, 'one.wav', new Int16Array(0))).rejects.toThrow('EEXIST');
    expect(await readdir(directory)).toEqual(['one.wav']);
  });
});
