import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, startHttp } from '../../test/support/http-fixture.ts';
import { uploadClient } from '../../test/support/upload-client.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterEach(async () => {
  http.switches.storeFailure = null;
  expect(await http.scratchFiles()).toEqual([]);
});
afterAll(() => http.close());

const { issue, put, stateOf, untilClaimed, clipOf } = uploadClient(() => http);

/** A PUT of ten octets of which the first five are sent, with the grant claimed. */
const halfWay = async (uri: string): Promise<Socket> => {
  const socket = connect(http.publicPort, '127.0.0.1');
  socket.setEncoding('utf8');
  socket.write(`PUT ${uri} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\naudio`);
  await untilClaimed(uri);
  return socket;
};

const finish = async (socket: Socket): Promise<string> => {
  socket.write('audio');
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
};

const stagedParts = () =>
  http.sql('SELECT clip_id FROM clip_originals WHERE clip_id NOT IN (SELECT id FROM clips)').length;

describe('B what ends while the file is on its way', () => {
  it('B 401 when the key or the application is revoked during the upload; nothing is kept', async () => {
    const old = await clipOf('101');
    const key = await http.store.transact((tx) => tx.createAppKey('1', null));
    const { uri } = await issue('101', key.secret);
    const socket = await halfWay(uri);
    await http.store.transact((tx) => tx.revokeAppKey('1', key.id));
    const answer = await finish(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(/www-authenticate: UploadGrant/i);
    expect(await clipOf('101')).toEqual(old);
    expect((await put(uri, 'audio')).status).toBe(401);
    expect(stagedParts()).toBe(0);
  });

  it('B 410 when the media is deleted during the upload, and afterwards', async () => {
    await http.store.transact((tx) => tx.createMedia({ id: '777', name: '', applicationIds: ['1'] }));
    const { uri } = await issue('777');
    const socket = await halfWay(uri);
    await http.store.transact((tx) => tx.deleteMedia('777'));
    expect(await finish(socket)).toMatch(/^HTTP\/1\.1 410 /);
    expect((await put(uri, 'audio')).status).toBe(410);
    expect(stagedParts()).toBe(0);
  });
});

describe('B a grant never stays claimed', () => {
  it.each([
    ['PUT', 100],
    ['POST', 100],
    ['POST', 5],
  ])('B a %s of %i octets whose line breaks while the grant is being claimed opens it again', async (method, bytes) => {
    const { uri } = await issue();
    const seen = http.logged.length;
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    const commit = http.store.transact(() => gate);
    const socket = connect(http.publicPort, '127.0.0.1');
    await once(socket, 'connect');
    const type = 'Content-Type: multipart/form-data; boundary=b';
    socket.write(`${method} ${uri} HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${bytes}\r\n\r\n--b\r\n`);
    await untilServerTurned();
    socket.resetAndDestroy();
    await once(socket, 'close');
    await untilServerTurned();
    openGate();
    await commit;
    await http.untilLogged(({ message, fields }) => message === 'upload refused' && fields.code === 'upload_cut', seen);
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 1 });
    expect((await put(uri, 'audio')).status).toBe(201);
  });

  it('B a grant that could not be opened again while the store was gone is opened once it is back', async () => {
    const { uri } = await issue();
    const socket = await halfWay(uri);
    http.switches.storeFailure = 'store_unavailable';
    expect(await finish(socket)).toMatch(/^HTTP\/1\.1 503 /);
    expect(await stateOf(uri)).toMatchObject({ state: 'claimed' });
    http.switches.storeFailure = null;
    for (const { wake } of http.wakeUps) wake();
    while ((await stateOf(uri))?.state !== 'open') await untilServerTurned();
    expect(await stateOf(uri)).toMatchObject({ failedTries: 0 });
    expect((await put(uri, 'audio')).status).toBe(201);
  });

  /** What was on its way to the server has arrived when a whole request of its own has. */
  const untilServerTurned = async (): Promise<void> => {
    await (await fetch(`${http.publicUrl}/health/live`)).text();
  };
});
