import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, KEY, startHttp } from '../../test/support/http-fixture.ts';
import { sendRaw } from '../../test/support/raw-http.ts';
import { answerOf, formOf, type TestGrant, uploadClient } from '../../test/support/upload-client.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterEach(async () => {
  http.switches.storeFailure = null;
  expect(await http.scratchFiles()).toEqual([]);
});
afterAll(() => http.close());

const { issue, put, postForm, stateOf, untilClaimed, clipOf, expectFailedTry } = uploadClient(() => http);

const issueAt = async (server: HttpFixture): Promise<string> => {
  const caller = await server.store.view((views) => views.findCaller(KEY));
  if (!caller) throw new Error('no caller');
  const { token } = await server.store.transact((tx) => tx.issueGrant({ mediaId: '101', caller, ttlSeconds: 60 }));
  return `/api/rest/media/101/${token}`;
};

describe('B a body cut short', () => {
  const cutRequests = (uri: string): readonly string[] => [
    `PUT ${uri} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\naudio`,
    `POST ${uri} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n` +
      '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\naudio',
    `PUT ${uri} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\naudio\r\n`,
  ];

  it('B a cut line opens the grant again and counts as a failed try', async () => {
    for (const index of cutRequests('').keys()) {
      const { uri } = await issue();
      const seen = http.logged.length;
      const socket = connect(http.publicPort, '127.0.0.1');
      socket.write(cutRequests(uri)[index] ?? '');
      await untilClaimed(uri);
      socket.resetAndDestroy();
      await http.untilLogged(isRefusal, seen);
      expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 1 });
      expect((await put(uri, 'audio')).status).toBe(201);
    }
  });

  it('B 400 for a body cut short by a sender that still listens', async () => {
    const { uri } = await issue();
    const seen = http.logged.length;
    const answer = await sendRaw(http.publicPort, cutRequests(uri)[0] ?? '', 'half-close');
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ MediaResponse: { status: 400 } });
    await http.untilLogged(isRefusal, seen);
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 1 });
  });

  it('B a sender that stalls is cut off', async () => {
    const hasty = await startHttp({ idleTimeoutMs: 100 });
    try {
      const uri = await issueAt(hasty);
      const answer = await sendRaw(hasty.publicPort, cutRequests(uri)[0] ?? '');
      expect(answer.body).toBe('');
      await hasty.untilLogged(isRefusal);
      expect((await fetch(hasty.publicUrl + uri, { method: 'PUT', body: 'audio' })).status).toBe(201);
    } finally {
      await hasty.close();
    }
  });

  const isRefusal = ({ message }: { message: string }): boolean => message === 'upload refused';
});

describe('B 401', () => {
  it('B 401 when a grant id is sent along in any way and does not match', async () => {
    const other = await issue();
    const form = formOf('audio');
    const before = new FormData();
    before.append('grantid', other.grantId);
    before.append('file', new Blob(['audio']), 'a.wav');
    form.append('grantid', '1');
    const ways: readonly ((grant: TestGrant) => Promise<Response>)[] = [
      ({ uri }) => put(`${uri}?grantid=${other.grantId}`, 'audio'),
      ({ uri, grantId }) => put(`${uri}?grantid=${grantId}&grantid=1`, 'audio'),
      ({ uri }) => put(uri, 'audio', { 'upload-grant': '1' }),
      ({ uri }) => postForm(uri, before),
      ({ uri }) => postForm(uri, form),
    ];
    for (const way of ways) {
      const grant = await issue();
      const response = await way(grant);
      expect(response.headers.get('www-authenticate')).toBe('UploadGrant realm="ringcast"');
      await expectFailedTry(grant.uri, response, 401);
    }
  });

  it('B 401 when the application or its key was revoked', async () => {
    const key = await http.store.transact((tx) => tx.createAppKey('1', null));
    const { uri } = await issue('101', key.secret);
    await http.store.transact((tx) => tx.revokeAppKey('1', key.id));
    expect(await answerOf(await put(uri, 'audio'))).toMatchObject({ status: 401 });
  });
});

describe('B 404', () => {
  it('B 404 with the same body for an unknown token and for one of another media id', async () => {
    const { uri } = await issue();
    const token = uri.split('/').pop();
    const unknown = await answerOf(await put(`/api/rest/media/101/${'1'.repeat(39)}`, 'audio'));
    expect(unknown).toMatchObject({ status: 404 });
    for (const path of [
      `102/${token}`,
      `201/${token}`,
      `999/${token}`,
      '101/x',
      `101/${token}0`,
      '101/',
      `/${token}`,
    ]) {
      for (const method of ['PUT', 'POST']) {
        const response = await fetch(`${http.publicUrl}/api/rest/media/${path}`, { method, body: 'audio' });
        expect(await answerOf(response)).toMatchObject({ status: 404, text: unknown.text });
      }
    }
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 0 });
  });
});

describe('B 409 and the spend', () => {
  it('B 409 while another upload holds the grant', async () => {
    const { uri } = await issue();
    const token = uri.split('/').pop() ?? '';
    const grant = await http.store.view((views) => views.findGrant(token));
    await http.store.transact((tx) => tx.claimGrant(grant?.ref ?? 0, '192.0.2.1'));
    expect(await answerOf(await put(uri, 'audio'))).toMatchObject({ status: 409 });
    await http.store.transact((tx) => tx.releaseGrant(grant?.ref ?? 0, false));
    expect((await put(uri, 'audio')).status).toBe(201);
  });
});

describe('B 410', () => {
  it('B 410 for a spent grant', async () => {
    const { uri } = await issue();
    expect((await put(uri, 'audio')).status).toBe(201);
    expect(await answerOf(await put(uri, 'audio'))).toMatchObject({ status: 410 });
  });

  it('B 410 from the very instant of expiry on, by the clock of the database', async () => {
    const { uri } = await issue();
    http.sql('UPDATE grants SET expires_at = expires_at - 86400000 WHERE seq = (SELECT max(seq) FROM grants)');
    expect(await answerOf(await put(uri, 'audio'))).toMatchObject({ status: 410 });
  });

  it('B 410 for a revoked grant', async () => {
    const { uri } = await issue();
    http.sql("UPDATE grants SET state = 'revoked' WHERE seq = (SELECT max(seq) FROM grants)");
    expect(await answerOf(await put(uri, 'audio'))).toMatchObject({ status: 410 });
  });

  it('B 410 when the grant is revoked during the upload; nothing is kept', async () => {
    const { uri } = await issue('101');
    const old = await clipOf('101');
    const socket = connect(http.publicPort, '127.0.0.1');
    socket.setEncoding('utf8');
    socket.write(`PUT ${uri} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\naudio`);
    await untilClaimed(uri);
    http.sql("UPDATE grants SET state = 'revoked' WHERE seq = (SELECT max(seq) FROM grants)");
    socket.write('audio');
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 410 /);
    expect(await clipOf('101')).toEqual(old);
    expect(await stateOf(uri)).toMatchObject({ state: 'revoked' });
  });

  it('B the precedence is 404, 410, 401, 429, 409, then the body', async () => {
    const grant = await issue();
    const { uri } = grant;
    const status = async (path: string): Promise<number> => (await put(path, '')).status;
    const wrong = `${uri}?grantid=1`;
    const set = (change: string) => http.sql(`UPDATE grants SET ${change} WHERE seq = (SELECT max(seq) FROM grants)`);
    set("state = 'spent', failed_tries = 20");
    expect(await status(wrong.replace('/101/', '/102/'))).toBe(404);
    expect(await status(wrong)).toBe(410);
    set("state = 'claimed'");
    expect(await status(wrong)).toBe(401);
    expect(await status(uri)).toBe(429);
    set('failed_tries = 19');
    expect(await status(uri)).toBe(409);
    set("state = 'open'");
    expect(await status(uri)).toBe(400);
  });
});

describe('B in time', () => {
  it('B an upload whose headers came in time is in time, however long its body takes', async () => {
    const { uri } = await issue();
    const socket = connect(http.publicPort, '127.0.0.1');
    socket.setEncoding('utf8');
    socket.write(`PUT ${uri} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\naudio`);
    await untilClaimed(uri);
    http.sql('UPDATE grants SET expires_at = 1 WHERE seq = (SELECT max(seq) FROM grants)');
    socket.write('audio');
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 201 /);
    expect(await stateOf(uri)).toMatchObject({ state: 'spent' });
  });
});

describe('B 429', () => {
  it('B 429 after 20 failed tries, every further one, and even a good one', async () => {
    const { uri } = await issue();
    const statuses: number[] = [];
    for (let n = 0; n < 22; n += 1) statuses.push((await put(uri, 'text')).status);
    expect(statuses).toEqual([...Array(20).fill(415), 429, 429]);
    expect(await answerOf(await put(uri, 'audio'))).toMatchObject({ status: 429 });
  });
});
