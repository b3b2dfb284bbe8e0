import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applicationClient } from '../../test/support/application-client.ts';
import { type HttpFixture, OTHER_KEY, startHttp } from '../../test/support/http-fixture.ts';
import { json, operatorClient } from '../../test/support/operator-client.ts';
import { uploadClient } from '../../test/support/upload-client.ts';
import { sha256 } from './sha256.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterAll(() => http.close());

const { issue, put } = uploadClient(() => http);
const { call, get, expectProblem } = applicationClient(() => http);
const operator = operatorClient(() => http).call;

describe('C versions', () => {
  it('C the clips of a media, newest first, with digest, length and renditions', async () => {
    for (const text of ['audio one', 'audio two']) await put((await issue('103')).uri, text);
    const { items, next } = await get('/api/v1/media/103/clips');
    expect(next).toBeNull();
    expect(items).toMatchObject([
      { sha256: sha256('audio two'), bytes: 9, type: 'audio/x-test', durationMs: 20, frames: 1, current: true },
      { sha256: sha256('audio one'), current: false, createdAt: expect.stringMatching(/Z$/) },
    ]);
    expect(items[0].loudness).toEqual({ sourceLufs: -31, lufs: -20, truePeakDbfs: -6.2 });
    expect(items[0].renditions).toEqual(
      expect.arrayContaining([
        { codec: 'PCMA', bytes: 160 },
        { codec: 'PCMU', bytes: 160 },
      ]),
    );
    expect((await json(await operator('GET', '/media/103/clips'))).items).toEqual(items);
    const { id } = await json(await call('POST', '/api/v1/media'));
    expect(await get(`/api/v1/media/${id}/clips`)).toEqual({ items: [], next: null });
  });

  it('C 404 for the clips and the peaks of unknown and foreign media, and for the peaks of an empty one', async () => {
    const { id } = await json(await call('POST', '/api/v1/media'));
    for (const path of ['999/clips', '201/clips', '999/peaks', '201/peaks', `${id}/peaks`])
      await expectProblem(await call('GET', `/api/v1/media/${path}`), 404);
    await expectProblem(await call('GET', '/api/v1/media/101/clips', { key: OTHER_KEY }), 404);
  });
});

describe('C peaks', () => {
  it('C as many pairs as asked for, 500 unless told, never more than samples', async () => {
    const few = await get('/api/v1/media/900/peaks?points=3');
    const lowAndHigh = [expect.any(Number), expect.any(Number)];
    expect(few).toEqual({
      clipId: 'clip-900',
      durationMs: 180,
      peakDbfs: expect.any(Number),
      rmsDbfs: expect.any(Number),
      peaks: [lowAndHigh, lowAndHigh, lowAndHigh],
    });
    expect((await get('/api/v1/media/900/peaks')).peaks).toHaveLength(500);
    expect((await get('/api/v1/media/900/peaks?points=3000')).peaks).toHaveLength(9 * 160);
    expect(await json(await operator('GET', '/media/900/peaks?points=3'))).toEqual(few);
    for (const points of ['0', '3001', '-1', 'x', ''])
      await expectProblem(await call('GET', `/api/v1/media/900/peaks?points=${points}`), 400, 'points');
  });
});
