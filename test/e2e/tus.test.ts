import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCutProxy } from '../support/cut-proxy.ts';
import { makeDirectory } from '../support/ringcast.ts';
import { makeScenario, must, type Scenario, toneWav } from '../support/scenario.ts';
import { ringcastEnds, runRingcast, type ServerProcess, spawnRingcast } from '../support/server-process.ts';
import { tusClient } from '../support/tus-client.ts';

const WAV = toneWav(440, 6000);
const SIZE = WAV.length;
let dataDirectory: string;
let server: ServerProcess;
let scenario: Scenario;
beforeAll(async () => {
  dataDirectory = await makeDirectory();
  server = await spawnRingcast(dataDirectory);
  scenario = await makeScenario(server.api, ['sip:nobody@127.0.0.1:9']);
});
afterAll(async () => {
  await server.terminate();
  await rm(dataDirectory, { recursive: true, force: true });
});

const { begin, patch, offsetOf } = tusClient(() => server);

const issue = async (): Promise<{ mediaId: string; uri: string }> => {
  const media = must(201, await server.api.application('POST', '/media', scenario.appKey, {}));
  const grant = must(201, await server.api.requestGrant(media.id, scenario.appKey));
  return { mediaId: media.id, uri: grant.UploadResponse.uri };
};

const killAndRestart = async (): Promise<void> => {
  await server.kill();
  server = await spawnRingcast(dataDirectory);
};

const originalOf = async (mediaId: string): Promise<Buffer> => {
  const url = `${server.publicUrl}/api/v1/media/${mediaId}/audio?as=original`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${scenario.appKey}` } });
  return Buffer.from(await response.arrayBuffer());
};

it('B tus kill -9 between any two steps: the upload goes on where it was, and the clip is the file', async () => {
  const { mediaId, uri } = await issue();
  const location = await begin(uri, SIZE);
  let offset = 0;
  for (const next of [1000, 1_100_000, SIZE - 1, SIZE]) {
    await killAndRestart();
    expect(await offsetOf(location)).toBe(offset);
    expect((await patch(location, offset, WAV.subarray(offset, next))).status).toBe(204);
    offset = next;
  }
  await killAndRestart();
  expect((await originalOf(mediaId)).equals(WAV)).toBe(true);
});

it('B tus kill -9 while the last PATCH is judged: the grant is spent with a whole clip, or open and the end is sent again', async () => {
  const { mediaId, uri } = await issue();
  const location = await begin(uri, SIZE);
  await patch(location, 0, WAV.subarray(0, SIZE - 1));
  const last = patch(location, SIZE - 1, WAV.subarray(SIZE - 1)).catch(() => null);
  while ((await offsetOf(location)) === SIZE - 1) await new Promise((resolve) => setImmediate(resolve));
  await killAndRestart();
  await last;
  const offset = await offsetOf(location);
  if (Number.isInteger(offset)) {
    expect(offset).toBe(SIZE - 1);
    expect((await patch(location, offset, WAV.subarray(offset))).status).toBe(204);
  }
  expect((await originalOf(mediaId)).equals(WAV)).toBe(true);
});

it('B tus tus-js-client goes on by itself with a server that was killed and started again', async () => {
  const { mediaId, uri } = await issue();
  const proxy = await openCutProxy(portOf(server), { cut: 'silence', everyBytes: 600_000, times: 1 });
  try {
    await new Promise<void>((resolve, reject) => {
      const upload = new Upload(Buffer.from(WAV), {
        endpoint: `http://127.0.0.1:${proxy.port}${uri}`,
        chunkSize: 300_000,
        retryDelays: Array(200).fill(100),
        onChunkComplete: (_size, accepted) => {
          if (accepted === 300_000) void killAndRestart().then(() => proxy.aimAt(portOf(server)), reject);
        },
        onSuccess: () => resolve(),
        onError: reject,
      });
      upload.start();
    });
  } finally {
    await proxy.close();
  }
  expect((await originalOf(mediaId)).equals(WAV)).toBe(true);
});

it('B tus the command that was killed goes on with the same words, after the server was killed too', async () => {
  const { mediaId, uri } = await issue();
  const file = join(dataDirectory, 'clip.wav');
  await writeFile(file, WAV);
  const proxy = await openCutProxy(portOf(server), { cut: 'silence', everyBytes: 1_200_000, times: 1 });
  const command = ['media', 'upload', '--grant', `http://127.0.0.1:${proxy.port}${uri}`, file];
  const environment = { XDG_CACHE_HOME: join(dataDirectory, 'cache') };
  try {
    const first = runRingcast(command, environment);
    const ended = once(first, 'exit');
    while (arrivedBytes() < 1_000_000) await new Promise((resolve) => setImmediate(resolve));
    first.kill('SIGKILL');
    await ended;
    await killAndRestart();
    proxy.aimAt(portOf(server));
    expect(await ringcastEnds(command, environment)).toMatchObject({ status: 0, errors: '' });
    // What had arrived was not sent again.
    expect(proxy.forwarded()).toBeLessThan(SIZE + 400_000);
  } finally {
    await proxy.close();
  }
  expect((await originalOf(mediaId)).equals(WAV)).toBe(true);
});

/** Of the one upload under way, read beside the server: asking it would push the sender aside. */
const arrivedBytes = (): number => {
  const database = new DatabaseSync(join(dataDirectory, 'ringcast.db'), { readOnly: true });
  const row = database.prepare('select max(offset_bytes) as bytes from partial_uploads').get();
  database.close();
  return Number(row?.bytes ?? 0);
};

const portOf = ({ publicUrl }: ServerProcess): number => Number(new URL(publicUrl).port);
