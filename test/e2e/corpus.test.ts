import { readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PhoneEvent } from '../../src/phone/events.ts';
import { openPhone, type Phone } from '../../src/phone/phone.ts';
import type { BadFile } from '../corpus/bad-file.ts';
import { MAX_UPLOAD_BYTES } from '../corpus/bombs.ts';
import { makeCorpus } from '../corpus/corpus.ts';
import { processTree, watchMemory } from '../support/process-tree.ts';
import { apiOf, type Json, makeDirectory } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';
import { type ServerProcess, spawnRingcast } from '../support/server-process.ts';
import { lateShare, voiceAfter, voiceFigures } from '../support/voice-figures.ts';

const CALLS = 100;
const CLIP_FRAMES = 2500;
/** Ten minutes and more: calls are ended when the corpus is through. */
const CLIPS_A_CALL = 15;
/** What each call sends before the first file, to compare with: five seconds. */
const PACKETS_ALONE = 250;
/** Half of each call's packets leave within a frame, however busy the machine is. */
const MAX_MEDIAN_LATENESS_MS = 20;
const SENDERS = 4;
/** As Linux tells its name, in 15 letters. */
const INGEST_PROCESS = 'ringcast-ingest';
const MAX_MEMORY_KIB = 512 * 1024;

/** Which of the corpus the WebAssembly build is given in the suite: every so manieth. All of it, if asked. */
const WASM_STEP = process.env.CORPUS === 'all' ? 1 : 24;

let folder: string;
let corpus: readonly BadFile[];
let phone: Phone;
const ended: Extract<PhoneEvent, { type: 'ended' }>[] = [];
const connections: string[] = [];
/** What the playlists name: nobody may come. */
const bait = createServer((socket) => {
  connections.push(`from port ${socket.remotePort}`);
  socket.destroy();
});

beforeAll(async () => {
  folder = await makeDirectory();
  bait.listen(0, '127.0.0.1');
  await new Promise((resolve) => bait.once('listening', resolve));
  const address = bait.address();
  corpus = await makeCorpus(
    folder,
    `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
  );
  phone = await openPhone({
    listen: { address: '127.0.0.1', port: 0 },
    recordDirectory: null,
    answerAfterMs: 0,
    behaviour: 'answer',
    onEvent: (event) => event.type === 'ended' && ended.push(event),
  });
}, 120_000);

afterAll(async () => {
  await phone.close();
  bait.close();
  await rm(folder, { recursive: true, force: true });
});

const serve = (data: string, path?: string): Promise<ServerProcess> =>
  spawnRingcast(join(folder, data), {
    RINGCAST_MAX_CLIP_SECONDS: '60',
    RINGCAST_MAX_UPLOAD_BYTES: `${MAX_UPLOAD_BYTES}`,
    ...(path === undefined ? {} : { PATH: path }),
  });

const send = (publicUrl: string, uri: string, { octets, fileName }: BadFile): Promise<Response> => {
  if (fileName === undefined) return fetch(publicUrl + uri, { method: 'PUT', body: octets });
  const body = new FormData();
  body.append('file', new Blob([octets]), fileName);
  return fetch(publicUrl + uri, { method: 'POST', body });
};

/** Uploads a file with a grant of its own: what is wrong with the answer, or nothing. */
const tryFile = async (server: ServerProcess, appKey: string, file: BadFile): Promise<readonly string[]> => {
  const api = apiOf(server);
  const media = must(201, await api.application('POST', '/media', appKey, {}));
  const grant = must(201, await api.requestGrant(media.id, appKey)).UploadResponse;
  const response = await send(server.publicUrl, grant.uri, file);
  const { status, message } = ((await response.json()) as { MediaResponse: { status: number; message: string } })
    .MediaResponse;
  const isRight = response.status === file.status && status === file.status && (file.gist?.test(message) ?? true);
  if (!isRight) return [`${file.name}: ${response.status} ${message}`];
  if (status === 201) return [];
  // Only a grant that is open looks at a body, be it empty.
  const again = await api.upload(grant.uri, new Uint8Array());
  return again.status === 400 ? [] : [`${file.name}: then ${again.status}`];
};

const tryAll = async (server: ServerProcess, appKey: string, files: readonly BadFile[]): Promise<readonly string[]> => {
  const queue = [...files];
  const faults: string[] = [];
  const sender = async (): Promise<void> => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      faults.push(...(await tryFile(server, appKey, file)));
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return faults;
};

const tidyAfter = async (server: ServerProcess, data: string): Promise<void> => {
  expect(await readdir(join(folder, data, 'scratch'))).toEqual([]);
  // The server, and its process that ingests: no decoder.
  expect((await processTree(server.id)).slice(1).map(({ name }) => name)).toEqual([INGEST_PROCESS]);
  expect(connections).toEqual([]);
};

/** Calls that play for much longer than the corpus takes, and how to end them. */
const startCalls = async (server: ServerProcess) => {
  const destinations = Array.from({ length: CALLS }, (_, i) => phone.uri.replace('sip:', `sip:line-${i}@`));
  const { appKey, networkId } = await makeScenario(server.api, destinations);
  const mediaId = await uploadMedia(server.api, appKey, toneWav(440, CLIP_FRAMES));
  const playlist = Array.from({ length: CLIPS_A_CALL }, () => mediaId).join('-');
  const blastId = blastIdOf(await server.api.blast(playlist, { networkid: networkId, appkey: appKey }));
  const untilCallsAre = async (state: string): Promise<readonly Json[]> => {
    const isThere = ({ calls }: Json): boolean => calls.every((call: Json) => call.state === state);
    return (await blastUntil(server.api, appKey, blastId, isThere)).calls;
  };
  const statesNow = async (): Promise<readonly string[]> =>
    (await blastUntil(server.api, appKey, blastId, () => true)).calls.map(({ state }: Json) => state);
  const cancel = async () => must(200, await server.api.application('POST', `/blasts/${blastId}/cancel`, appKey, {}));
  return { appKey, untilCallsAre, statesNow, cancel };
};

/** What the calls' records say of one share of their packets: the median, 90 % and the worst of the calls. */
const latenessOf = (calls: readonly Json[], of: 'p50' | 'p99') => {
  const values: number[] = calls.map(({ attempts }) => attempts[0].rtp.latenessMs[of]).toSorted((a, b) => a - b);
  const [median = 0, most = 0, worst = 0] = [0.5, 0.9, 1].map((share) => values[Math.ceil(values.length * share) - 1]);
  return { worst, text: `${of} ${median}, ${most}, ${worst}` };
};

it(`a corpus of bad files with native FFmpeg, while ${CALLS} calls play on`, async () => {
  expect(corpus.length).toBeGreaterThanOrEqual(150);
  const server = await serve('native');
  const memory = watchMemory(server.id);
  const { appKey, untilCallsAre, statesNow, cancel } = await startCalls(server);
  await untilCallsAre('playing');
  const alone = await voiceFigures(server);
  const before = await voiceAfter(server, CALLS * PACKETS_ALONE);
  const startedAt = performance.now();
  expect(await tryAll(server, appKey, corpus)).toEqual([]);
  const took = performance.now() - startedAt;
  const after = await voiceFigures(server);
  expect(await statesNow()).toEqual(Array.from({ length: CALLS }, () => 'playing'));
  await cancel();
  const calls = await untilCallsAre('finished');
  for (const { reception } of ended) expect(reception).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0 });
  const peakKiB = await memory();
  expect(peakKiB).toBeLessThan(MAX_MEMORY_KIB);
  await tidyAfter(server, 'native');
  const p50 = latenessOf(calls, 'p50');
  const [shareAlone, share] = [lateShare(alone, before), lateShare(before, after)];
  console.log(
    `${corpus.length} files in ${Math.round(took / 1000)} s, ${Math.round(peakKiB / 1024)} MiB at most; packets 10 ms late:`,
    `${(shareAlone * 100).toFixed(2)} % before, ${(share * 100).toFixed(2)} % meanwhile;`,
    `lateness in ms of the median call, of 90 %, of the worst: ${p50.text}; ${latenessOf(calls, 'p99').text}`,
  );
  expect(p50.worst).toBeLessThanOrEqual(MAX_MEDIAN_LATENESS_MS);
  expect(await server.terminate()).toBe(0);
}, 600_000);

it('bad files with FFmpeg in WebAssembly', async () => {
  const withoutFfmpeg = join(folder, 'nothing-here') + delimiter;
  const server = await serve('wasm', withoutFfmpeg);
  const memory = watchMemory(server.id);
  const { appKey } = await makeScenario(server.api, [phone.uri]);
  expect(
    await tryAll(
      server,
      appKey,
      corpus.filter((_, index) => index % WASM_STEP === 0),
    ),
  ).toEqual([]);
  const peakKiB = await memory();
  expect(peakKiB).toBeLessThan(MAX_MEMORY_KIB);
  console.log(`${Math.round(peakKiB / 1024)} MiB at most`);
  await tidyAfter(server, 'wasm');
  expect(await server.terminate()).toBe(0);
}, 600_000);
