import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, KEY, OTHER_KEY, startHttp } from '../../test/support/http-fixture.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterEach(() => {
  Object.assign(http.switches, { draining: false, storeFailure: null });
});
afterAll(() => http.close());

const post = (path: string, fields: Record<string, string>) =>
  fetch(`${http.publicUrl}/api/rest/media${path}`, { method: 'POST', body: new URLSearchParams(fields) });

const request = (path: string, appkey: string) => post(path, { action: 'upload_grant', appkey });

const countGrants = (): unknown => http.sql('SELECT count(*) AS n FROM grants')[0];

describe('seed 4.2 upload grant', () => {
  it('A10 answers 201 with a grant id beyond 2^53 and a token of 39 digits, both strings', async () => {
    const response = await request('/101', KEY);
    expect(response.status).toBe(201);
    const { UploadResponse } = (await response.json()) as { UploadResponse: Record<string, string> };
    expect(Object.keys(UploadResponse)).toEqual(['message', 'status', 'grantId', 'uri']);
    expect(UploadResponse).toMatchObject({ message: '', status: 201 });
    expect(UploadResponse.grantId).toMatch(/^[0-9]+$/);
    expect(BigInt(UploadResponse.grantId ?? '')).toBeGreaterThan(2n ** 53n);
    expect(UploadResponse.uri).toMatch(/^\/api\/rest\/media\/101\/[0-9]{39}$/);
  });

  it('A10 grant id and token are in no file of the database', async () => {
    const { UploadResponse } = (await (await request('/101', KEY)).json()) as {
      UploadResponse: { grantId: string; uri: string };
    };
    const token = UploadResponse.uri.split('/').pop() ?? '';
    const rows = JSON.stringify(http.sql('SELECT * FROM grants'));
    expect(rows).not.toContain(token);
    expect(rows).not.toContain(UploadResponse.grantId);
    expect(JSON.stringify(http.logged)).not.toContain(token);
  });

  it('A10 is valid for the configured time by the clock of the database', async () => {
    await request('/101', KEY);
    const [row] = http.sql('SELECT expires_at - issued_at AS ms FROM grants ORDER BY seq DESC LIMIT 1');
    expect(row).toEqual({ ms: 86_400_000 });
  });

  it('seed 4.2 a media that holds no clip yet can be granted', async () => {
    expect((await request('/103', KEY)).status).toBe(201);
  });

  it('A9 a draining server still grants', async () => {
    http.switches.draining = true;
    expect((await request('/101', KEY)).status).toBe(201);
  });
});

describe('refusals of an upload grant', () => {
  const refused = async (response: Response) => {
    const text = await response.text();
    const { UploadResponse } = JSON.parse(text);
    expect(Object.keys(UploadResponse)).toEqual(['message', 'status', 'grantId', 'uri']);
    expect(UploadResponse).toMatchObject({ status: response.status, grantId: '', uri: '' });
    expect(UploadResponse.message).toMatch(/^[A-Z].+\.$/);
    return { status: response.status, text, headers: response.headers };
  };

  it('A5 400 with UploadResponse when the key is missing', async () => {
    expect((await refused(await post('/101', { action: 'upload_grant' }))).status).toBe(400);
    expect((await refused(await request('/101', '  '))).status).toBe(400);
  });

  it.each(['', '/', '/%20'])('A3 A5 400 with UploadResponse for the blank media id of "%s"', async (path) => {
    expect((await refused(await request(path, KEY))).status).toBe(400);
  });

  it('A6 unknown key, revoked key, unknown media and foreign media give the same 401', async () => {
    const revoked = await http.store.transact((tx) => tx.createAppKey('1', null));
    await http.store.transact((tx) => tx.revokeAppKey('1', revoked.id));
    const before = countGrants();
    const answers = [
      await refused(await request('/101', 'unknown-key-unknown-key')),
      await refused(await request('/101', revoked.secret)),
      await refused(await request('/999', KEY)),
      await refused(await request('/201', KEY)),
      await refused(await request('/101', OTHER_KEY)),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 401, text: answers[0]?.text });
    expect(new Set(answers.map(({ headers }) => headers.get('www-authenticate')))).toEqual(
      new Set(['AppKey realm="ringcast"']),
    );
    expect(countGrants()).toEqual(before);
  });

  it.each(['101-102', '-', '1-', 'a%2Fb', 'x'.repeat(65)])('A4 401 for %s, which no media id can be', async (path) => {
    expect((await refused(await request(`/${path}`, KEY))).status).toBe(401);
  });

  it.each(['store_unavailable', 'disk_full'] as const)(
    'A9 503 with Retry-After when it cannot be committed (%s)',
    async (failure) => {
      const before = countGrants();
      http.switches.storeFailure = failure;
      const { status, headers } = await refused(await request('/101', KEY));
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toMatch(/^[0-9]+$/);
      expect(countGrants()).toEqual(before);
    },
  );
});
