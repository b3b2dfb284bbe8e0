import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { writeWav } from '../../src/rtp/wav.ts';
import { type HttpFixture, startHttp } from '../../test/support/http-fixture.ts';
import { processTree } from '../../test/support/process-tree.ts';
import { answerOf, uploadClient } from '../../test/support/upload-client.ts';
import { createIngest } from '../audio/ingest.ts';
import { findFfmpeg } from '../audio/native-ffmpeg.ts';

let server: HttpFixture;
const client = uploadClient(() => server);
afterEach(() => server.close());

const hasFfmpeg = (await findFfmpeg(process.env.PATH ?? '')) !== null;
const isLinuxRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** Ten minutes: the decoder is at work for a while. */
const longFile = () => new Uint8Array(writeWav(new Int16Array(8000 * 600).fill(100), 8000));
const shortFile = () => new Uint8Array(writeWav(new Int16Array(8000).fill(100), 8000));

const start = (scratch: string | null, timeLimitMs: number) =>
  startHttp({
    limits: { maxUploadBytes: 64 * 1024 * 1024 },
    makeIngest: (scratchDirectory, log) =>
      createIngest({ scratchDirectory: scratch ?? scratchDirectory, timeLimitMs, log }),
  });

/** The decoder itself, once it runs, not what isolates it. */
const untilDecoding = async (): Promise<number> => {
  for (;;) {
    const ffmpeg = (await processTree(process.pid)).find(({ name }) => name === 'ffmpeg');
    if (ffmpeg) return ffmpeg.id;
  }
};

const expectNothingLeft = async (uri: string): Promise<void> => {
  expect(await client.stateOf(uri)).toMatchObject({ state: 'open', failedTries: 0 });
  expect((await processTree(process.pid)).filter(({ name }) => /^(ffmpeg|unshare|sh)$/.test(name))).toEqual([]);
};

describe.skipIf(!hasFfmpeg || process.platform !== 'linux')('a decoder in trouble', () => {
  it('that is killed: 503, and the grant is open', async () => {
    server = await start(null, 60_000);
    const { uri } = await client.issue();
    const uploading = client.put(uri, longFile());
    process.kill(await untilDecoding(), 'SIGKILL');
    const message = expect.stringContaining('interrupted');
    expect(await answerOf(await uploading)).toMatchObject({ status: 503, message });
    await expectNothingLeft(uri);
    expect((await client.put(uri, shortFile())).status).toBe(201);
  });

  it('that hangs: 503 when its time is over, and the grant is open', async () => {
    server = await start(null, 5_000);
    const { uri } = await client.issue();
    const uploading = client.put(uri, longFile());
    process.kill(await untilDecoding(), 'SIGSTOP');
    const message = expect.stringContaining('too long');
    expect(await answerOf(await uploading)).toMatchObject({ status: 503, message });
    await expectNothingLeft(uri);
  });

  it.skipIf(!isLinuxRoot)('that fills the disk: 507, and the grant is open', async () => {
    const scratch = await mkdtemp(join(tmpdir(), 'ringcast-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=700', 'ringcast-test', scratch]);
    try {
      server = await start(scratch, 60_000);
      const { uri } = await client.issue();
      expect(await answerOf(await client.put(uri, longFile()))).toMatchObject({ status: 507 });
      await expectNothingLeft(uri);
      expect(await readdir(scratch)).toEqual([]);
      expect((await client.put(uri, shortFile())).status).toBe(201);
    } finally {
      execFileSync('umount', [scratch]);
      await rm(scratch, { recursive: true });
    }
  });
});
