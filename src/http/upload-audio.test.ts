import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, KEY, startHttp } from '../../test/support/http-fixture.ts';
import { tone } from '../../test/support/tones.ts';
import { createIngest } from '../audio/ingest.ts';
import { decodeUlaw, encodeUlaw } from '../rtp/g711.ts';
import { readWav, writeWav } from '../rtp/wav.ts';

/** Uploads through the real decoder. */
let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp({
    limits: { maxUploadBytes: 1024 * 1024, maxClipSeconds: 2 },
    makeIngest: (scratchDirectory, log) => createIngest({ scratchDirectory, log }),
  });
});
afterAll(async () => {
  expect(await http.scratchFiles()).toEqual([]);
  await http.close();
});

const wavOf = (seconds: number): Buffer<ArrayBuffer> =>
  Buffer.from(writeWav(tone({ hz: 400, rateHz: 8000, seconds, levelDb: -12 }), 8000));

const upload = async (body: Buffer<ArrayBuffer>): Promise<Response> => {
  const grant = await fetch(`${http.publicUrl}/api/rest/media/103`, {
    method: 'POST',
    body: new URLSearchParams({ action: 'upload_grant', appkey: KEY }),
  });
  const { uri } = ((await grant.json()) as { UploadResponse: { uri: string } }).UploadResponse;
  return fetch(http.publicUrl + uri, { method: 'PUT', body, headers: { 'content-type': 'audio/mpeg' } });
};

describe('B uploads through the real decoder', () => {
  it('B 201 and the downloadUrl plays what the phone will hear', async () => {
    const response = await upload(wavOf(1));
    const { MediaResponse } = (await response.json()) as { MediaResponse: { downloadUrl: string; fileSize: number } };
    expect([response.status, MediaResponse.fileSize]).toEqual([201, 16_044]);
    const audio = await fetch(http.publicUrl + MediaResponse.downloadUrl, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    const { samples } = readWav(new Uint8Array(await audio.arrayBuffer()));
    expect(samples).toHaveLength(8000);
    expect(samples).toEqual(decodeUlaw(encodeUlaw(samples)));
    expect(samples.some((sample) => Math.abs(sample) > 1000)).toBe(true);
  });

  it('B 413 for more seconds than allowed', async () => {
    expect((await upload(wavOf(2.5))).status).toBe(413);
  });

  it('B 415 for octets that are not audio, and for a header that contradicts its data', async () => {
    expect((await upload(Buffer.from('%PDF-1.7 not audio at all'))).status).toBe(415);
    expect((await upload(Buffer.from(wavOf(1).subarray(0, 8000)))).status).toBe(415);
  });
});
