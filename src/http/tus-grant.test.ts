import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, startHttp } from '../../test/support/http-fixture.ts';
import { tusClient } from '../../test/support/tus-client.ts';
import { uploadClient } from '../../test/support/upload-client.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterAll(() => http.close());

const { issue, put, stateOf, clipOf } = uploadClient(() => http);
const { send, create, begin, patch, offsetOf } = tusClient(() => http);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const change = (columns: string) => http.sql(`UPDATE grants SET ${columns} WHERE seq = (SELECT max(seq) FROM grants)`);
const statusesOf = async (answers: readonly Promise<Response>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status);

describe('B tus and the grant', () => {
  it('B tus the precedence is 404, 410, 401, 429, 409, then the rest, for every method', async () => {
    const { uri } = await issue();
    const location = await begin(uri, 10);
    const statuses = (query: string, mediaId = '101') => {
      const at = (path: string): string => path.replace('/101/', `/${mediaId}/`) + query;
      return statusesOf([
        create(at(uri), 0),
        send('HEAD', at(location)),
        patch(at(location), 7, 'x'),
        send('DELETE', `${at(location)}`),
      ]);
    };
    change("state = 'spent', failed_tries = 20");
    expect(await statuses('?grantid=1', '102')).toEqual([404, 404, 404, 404]);
    expect(await statuses('?grantid=1')).toEqual([410, 410, 410, 410]);
    change("state = 'claimed'");
    expect(await statuses('?grantid=1')).toEqual([401, 401, 401, 401]);
    expect(await statuses('')).toEqual([429, 429, 429, 429]);
    change('failed_tries = 0');
    expect(await statuses('')).toEqual([409, 409, 409, 409]);
    change("state = 'open'");
    expect((await create(uri, 0)).status).toBe(400);
    expect((await patch(location, 7, 'x')).status).toBe(409);
  });

  it('B tus 401 for a grant id in the query, the header or Upload-Metadata that does not match', async () => {
    const { uri, grantId } = await issue();
    const wrong = [
      create(`${uri}?grantid=1`, 5),
      create(uri, 5, { 'upload-grant': '1' }),
      create(uri, 5, { 'upload-metadata': `grantid ${btoa('1')}` }),
    ];
    const answers = await Promise.all(wrong);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(answers[0]?.headers.get('www-authenticate')).toBe('UploadGrant realm="ringcast"');
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 3 });
    const metadata = { 'upload-metadata': `grantid ${btoa(grantId)}`, 'upload-grant': grantId };
    expect((await create(`${uri}?grantid=${grantId}`, 5, metadata)).status).toBe(201);
  });

  it('B tus 410 for a grant that expires in mid-upload, and the sweep takes its parts', async () => {
    const { uri } = await issue();
    const location = await begin(uri, 10);
    await patch(location, 0, 'audio');
    change('expires_at = 1');
    expect((await patch(location, 5, '12345')).status).toBe(410);
    expect((await send('HEAD', location)).status).toBe(410);
    const other = await issue();
    const alive = await begin(other.uri, 10);
    expect(await http.store.transact((tx) => tx.dropDeadPartialUploads())).toBeGreaterThan(0);
    expect(http.sql('select * from partial_upload_parts where upload_id = ?', location.split('/').pop() ?? '')).toEqual(
      [],
    );
    expect(await offsetOf(alive)).toBe(0);
  });

  it('B tus 200 for HEAD of the upload that spent the grant, for as long as the grant was good; 410 for all else', async () => {
    const { uri, grantId } = await issue();
    const [other, location] = [await begin(uri, 10), await begin(uri, 5)];
    await patch(other, 0, 'audio');
    expect((await patch(location, 0, 'audio')).status).toBe(204);
    const head = await send('HEAD', `${location}?grantid=${grantId}`);
    const { headers } = head;
    expect([head.status, headers.get('upload-offset'), headers.get('upload-length')]).toEqual([200, '5', '5']);
    expect([headers.get('tus-resumable'), headers.get('cache-control')]).toEqual(['1.0.0', 'no-store']);
    expect(Date.parse(headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now());
    const gone = [
      send('HEAD', other),
      send('HEAD', `${location}?grantid=1`),
      patch(location, 5, ''),
      send('DELETE', location),
      create(uri, 5),
    ];
    expect(await statusesOf(gone)).toEqual([410, 410, 410, 410, 410]);
    expect((await send('HEAD', location.replace('/101/', '/102/'))).status).toBe(404);
    expect((await send('HEAD', location, { 'tus-resumable': '0.2.2' })).status).toBe(412);
    change('expires_at = 1');
    expect((await send('HEAD', location)).status).toBe(410);
  });

  it('B tus a paused upload does not hold the grant: a PUT may spend it, and then the parts are gone', async () => {
    const { uri } = await issue();
    const location = await begin(uri, 10);
    await patch(location, 0, 'audio');
    expect((await put(uri, 'audio by put')).status).toBe(201);
    expect((await patch(location, 5, '12345')).status).toBe(410);
    expect(http.sql('select * from partial_uploads where id = ?', location.split('/').pop() ?? '')).toEqual([]);
    expect(await clipOf('101')).toMatchObject({ digest: sha256('audio by put') });
  });

  it('B tus four uploads of one grant at most: with a fifth the oldest dies', async () => {
    const { uri } = await issue();
    const locations: string[] = [];
    for (let n = 0; n < 5; n += 1) locations.push(await begin(uri, 10));
    expect(await statusesOf(locations.map((location) => send('HEAD', location)))).toEqual([404, 200, 200, 200, 200]);
    const stranger = await issue();
    const path = `${stranger.uri}/${locations[1]?.split('/').pop()}`;
    expect(await statusesOf([send('HEAD', path), patch(path, 0, 'x'), send('DELETE', path)])).toEqual([404, 404, 404]);
  });

  it('B tus of 50 clients that finish at once exactly one wins, and the clip is its own', async () => {
    const { uri } = await issue('102');
    const locations: string[] = [];
    for (let n = 0; n < 4; n += 1) locations.push(await begin(uri, 7));
    await Promise.all(locations.map((location) => patch(location, 0, 'audio')));
    const tails = Array.from({ length: 50 }, (_, n) => String(n).padStart(2, '0'));
    const statuses = await statusesOf(tails.map((tail, n) => patch(locations[n % 4] ?? '', 5, tail)));
    const winners = [...statuses.keys()].filter((n) => statuses[n] === 204);
    expect(winners).toHaveLength(1);
    expect(statuses.filter((status) => ![204, 409, 410].includes(status))).toEqual([]);
    expect(await stateOf(uri)).toMatchObject({ state: 'spent', failedTries: 0 });
    expect(await clipOf('102')).toMatchObject({ digest: sha256(`audio${tails[winners[0] ?? -1]}`) });
  });
});
