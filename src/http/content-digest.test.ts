import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, startHttp } from '../../test/support/http-fixture.ts';
import { uploadClient } from '../../test/support/upload-client.ts';
import { contentDigests } from './content-digest.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterEach(async () => expect(await http.scratchFiles()).toEqual([]));
afterAll(() => http.close());

const { issue, put, stateOf, expectFailedTry } = uploadClient(() => http);

const digestOf = (name: 'sha-256' | 'sha-512', text: string): string =>
  `${name}=:${createHash(name.replace('-', '')).update(text).digest('base64')}:`;

const FORM =
  '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\naudio in a form\r\n--b--\r\nwhat follows counts too';

const post = (uri: string, headers: Record<string, string>) =>
  fetch(http.publicUrl + uri, {
    method: 'POST',
    body: FORM,
    headers: { 'content-type': 'multipart/form-data; boundary=b', ...headers },
  });

describe('Content-Digest and Repr-Digest', () => {
  it.each(['content-digest', 'repr-digest'])('B 201 for a file or a form with the %s announced', async (field) => {
    for (const name of ['sha-256', 'sha-512'] as const) {
      const file = await issue();
      expect((await put(file.uri, 'audio', { [field]: digestOf(name, 'audio') })).status).toBe(201);
      const form = await issue();
      expect((await post(form.uri, { [field]: digestOf(name, FORM) })).status).toBe(201);
    }
  });

  it('B 400 for a body that has not the digest announced, though it is audio; the grant is open', async () => {
    for (const value of [
      digestOf('sha-256', 'other'),
      digestOf('sha-512', 'other'),
      `${digestOf('sha-512', 'audio')}, ${digestOf('sha-256', 'other')}`,
    ]) {
      const { uri } = await issue();
      await expectFailedTry(uri, await put(uri, 'audio', { 'content-digest': value }), 400);
    }
    const form = await issue();
    await expectFailedTry(form.uri, await post(form.uri, { 'content-digest': digestOf('sha-256', 'other') }), 400);
  });

  it('B 400 for a digest that cannot be read', async () => {
    for (const value of ['sha-256', 'sha-256=abc', 'sha-256=:AAAA:', 'sha-512=:?:']) {
      const { uri } = await issue();
      await expectFailedTry(uri, await put(uri, 'audio', { 'content-digest': value }), 400);
    }
  });

  it('B a form with a digest whose line is cut opens the grant again', async () => {
    const { uri } = await issue();
    const socket = connect(http.publicPort, '127.0.0.1');
    socket.on('error', () => undefined);
    const seen = http.logged.length;
    socket.write(
      `POST ${uri} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
        `Content-Digest: ${digestOf('sha-256', FORM)}\r\n\r\n${FORM}`,
    );
    socket.end();
    await http.untilLogged(({ message }) => message === 'upload refused', seen);
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 1 });
  });

  it('passes over algorithms that it does not know, and takes parameters', () => {
    const known = digestOf('sha-256', 'x');
    const value = `md5=:AAAA:, unixsum=:?:,${known};a=1 , other`;
    expect(contentDigests({ 'content-digest': value }).map(({ algorithm }) => algorithm)).toEqual(['sha256']);
    expect(contentDigests({ 'content-digest': known, 'repr-digest': known })).toHaveLength(2);
  });
});
