import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, startHttp } from '../../test/support/http-fixture.ts';
import { tusClient } from '../../test/support/tus-client.ts';
import { uploadClient } from '../../test/support/upload-client.ts';
import { wavOf } from '../../test/support/wav-formats.ts';

const MIB = 1 << 20;
const HALF_HEAD = 64 * 1024;

/** No decoder: what is refused here is refused before one is needed. */
let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp({
    limits: { maxUploadBytes: 4 * MIB, maxClipSeconds: 2 },
    makeIngest: async () => () => Promise.reject(new Error('nothing is to be decoded')),
  });
});
afterEach(async () => expect(await http.scratchFiles()).toEqual([]));
afterAll(() => http.close());

const { issue, stateOf } = uploadClient(() => http);
const { begin, patch, send } = tusClient(() => http);

/** A megabyte of WAV, its length not known, with some octets of its header replaced. */
const wav = (patches: Readonly<Record<number, readonly number[]>> = {}, rateHz = 8000): Buffer<ArrayBuffer> => {
  const file = Buffer.alloc(MIB);
  file.set(wavOf(new Int16Array(10), { format: 'pcm16', rateHz, channels: 1 }));
  file.fill(0xff, 40, 44);
  for (const [at, octets] of Object.entries(patches)) file.set(octets, Number(at));
  return file;
};

/** Sends the first octets of a body and no more; the answer comes all the same. */
const answerToStartOf = async (method: string, uri: string, type: string, bytes: number, start: Uint8Array) => {
  const headers = { 'content-type': type, 'content-length': bytes };
  const sending = request(http.publicUrl + uri, { method, headers });
  sending.write(start);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  const { MediaResponse } = JSON.parse(await text(response)) as { MediaResponse: { message: string } };
  sending.destroy();
  return { status: response.statusCode, message: MediaResponse.message };
};

const put = async (file: Uint8Array, sentBytes: number) => {
  const { uri } = await issue();
  const answer = await answerToStartOf('PUT', uri, 'audio/wav', file.length, file.subarray(0, sentBytes));
  expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 1 });
  return answer;
};

describe('B refusals before the whole file is there', () => {
  it.each([
    ['1 sample a second', { 24: [1, 0, 0, 0] }, /1 samples a second/],
    ['255 channels', { 22: [255, 0] }, /255 channels/],
    ['samples that are packed otherwise', { 32: [0, 0] }, /blocks of 0 octets/],
    ['no audio', { 0: [0] }, /not audio/],
  ])('B 415 for a PUT of %s, by its first octets', async (_, patches, gist) => {
    const { status, message } = await put(wav(patches), 2 * HALF_HEAD);
    expect([status, message]).toEqual([415, expect.stringMatching(gist)]);
  });

  it('B 413 for a PUT of more seconds than allowed, as soon as they are there', async () => {
    // Three seconds at 48 kHz, 16 bits, are 288,000 octets.
    expect(await put(wav({}, 48_000), 300_000)).toMatchObject({
      status: 413,
      message: expect.stringMatching(/2 seco/),
    });
  });

  it('B 415 for a form, by the first octets of its file', async () => {
    const { uri } = await issue();
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
    const start = Buffer.concat([Buffer.from(head), wav({ 22: [0, 0] }).subarray(0, 3 * HALF_HEAD)]);
    const answer = await answerToStartOf('POST', uri, 'multipart/form-data; boundary=b', MIB, start);
    expect(answer).toMatchObject({ status: 415, message: expect.stringMatching(/0 channels/) });
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 1 });
  });

  it('B tus 415 for the part that completes a bad head, though others follow; its upload is gone', async () => {
    const { uri } = await issue();
    const place = await begin(uri, MIB);
    const file = wav({ 24: [1, 0, 0, 0] });
    expect((await patch(place, 0, file.subarray(0, HALF_HEAD))).status).toBe(204);
    const refused = await patch(place, HALF_HEAD, file.subarray(HALF_HEAD, 2 * HALF_HEAD));
    expect([refused.status, await refused.text()]).toEqual([415, expect.stringContaining('1 samples a second')]);
    expect((await send('HEAD', place)).status).toBe(404);
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 1 });
  });

  it('B tus 413 for more seconds than allowed, in the part that brings them', async () => {
    const { uri } = await issue();
    const place = await begin(uri, MIB);
    const file = wav({}, 48_000);
    expect((await patch(place, 0, file.subarray(0, 250_000))).status).toBe(204);
    expect((await patch(place, 250_000, file.subarray(250_000, 300_000))).status).toBe(413);
  });
});
