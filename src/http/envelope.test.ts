import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, KEY, startHttp } from '../../test/support/http-fixture.ts';
import { sendRaw } from '../../test/support/raw-http.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterEach(() => {
  http.switches.bug = false;
});
afterAll(() => http.close());

const FORM = 'application/x-www-form-urlencoded';
const BLAST = new URLSearchParams({ action: 'blast', appkey: KEY, networkid: '1' }).toString();

interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** One request whose target and body are sent exactly as given: fetch would mend them. */
const send = async (
  method: string,
  target: string,
  { body = '', type = FORM }: { body?: string | Uint8Array; type?: string | null } = {},
): Promise<Answer> => {
  const head = `${method} ${target} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n`;
  const declared = type === null ? '' : `Content-Type: ${type}\r\n`;
  const octets = Buffer.from(body);
  const length = `Content-Length: ${octets.length}\r\n\r\n`;
  return sendRaw(http.publicPort, Buffer.concat([Buffer.from(head + declared + length), octets]));
};

const expectMediaResponse = ({ status, body }: Answer): void => {
  const { MediaResponse } = JSON.parse(body);
  expect(MediaResponse).toEqual({
    message: expect.stringMatching(/^[A-Z].+\.$/),
    status,
    downloadUrl: '',
    fileSize: 0,
    mediaId: '',
    uri: '',
  });
};

const expectGuarded = ({ status, headers }: Answer): void => {
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.has('server') || headers.has('x-powered-by')).toBe(false);
  expect(status < 300 || status >= 400).toBe(true);
};

describe('A2 forms that cannot be read are 400 with MediaResponse', () => {
  const action = 'action=upload_grant&appkey=x';
  it.each<[string, { body?: string | Uint8Array; type?: string | null }]>([
    ['another content type', { body: '{}', type: 'application/json' }],
    ['a multipart form', { body: BLAST, type: 'multipart/form-data; boundary=x' }],
    ['a content type that is none', { body: BLAST, type: '/;;' }],
    ['an empty content type', { body: BLAST, type: '' }],
    ['another charset', { body: BLAST, type: `${FORM}; charset=utf-16` }],
    ['no content type', { body: BLAST, type: null }],
    ['no body at all', { type: null }],
    ['an empty form', {}],
    ['an escape that cannot be decoded', { body: `${action}&x=%GG` }],
    ['escapes that are no UTF-8', { body: `${action}&x=%FF` }],
    ['octets that are no UTF-8', { body: Buffer.from(`${action}&x=\xff`, 'latin1') }],
    ['NUL', { body: `${action}&x=%00` }],
    ['the same field twice', { body: `${action}&appkey=y` }],
  ])('A2 %s', async (_, content) => {
    const answer = await send('POST', '/api/rest/media/101', content);
    expect(answer.status).toBe(400);
    expectMediaResponse(answer);
    expectGuarded(answer);
  });
});

describe('A5 envelopes and A11 headers of everything under /api/rest', () => {
  it.each([
    ['POST', '/api/rest'],
    ['POST', '/api/rest/'],
    ['GET', '/api/rest/nothing'],
    ['POST', '/api/rest/nothing'],
    ['POST', '/api/rest/media/1/2/3'],
    ['POST', '/api/rest/MEDIA/101'],
    ['POST', '/api/rest//media/101'],
    ['PROPFIND', '/api/rest/nothing'],
  ])('A5 404 for %s %s, which is no route', async (method, target) => {
    const answer = await send(method, target, { body: 'not json', type: 'application/json' });
    expect(answer.status).toBe(404);
    expectMediaResponse(answer);
    expectGuarded(answer);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])('A1 405 with Allow for %s', async (method) => {
    for (const path of ['/api/rest/media/101', '/api/rest/media', '/api/rest/media/', '/api/rest/media/%20?x=y']) {
      const answer = await send(method, path, { body: 'not json', type: 'application/json' });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
      expectMediaResponse(answer);
      expectGuarded(answer);
    }
  });

  it('A1 405 for HEAD, without a body', async () => {
    const answer = await send('HEAD', '/api/rest/media/101', { type: null });
    expect([answer.status, answer.headers.get('allow'), answer.body]).toEqual([405, 'POST', '']);
    expectGuarded(answer);
  });

  it.each(['%FF', '%GG', '%', '101%2', '%C0%80'])(
    'A5 400 for the path escape %s that cannot be decoded',
    async (value) => {
      const answer = await send('POST', `/api/rest/media/${value}`, { body: BLAST });
      expect(answer.status).toBe(400);
      expectMediaResponse(answer);
      expectGuarded(answer);
    },
  );

  it('A5 413 for a form over 64 KiB, announced or not; 64 KiB is taken', async () => {
    const pad = (size: number): string => `${BLAST}&x=${'y'.repeat(size - BLAST.length - 3)}`;
    expect((await send('POST', '/api/rest/media/101', { body: pad(65_536) })).status).toBe(202);
    const announced = await send('POST', '/api/rest/media/101', { body: pad(65_537) });
    const chunked = await sendChunked('/api/rest/media/101', [pad(40_000), 'z'.repeat(40_000)]);
    for (const answer of [announced, chunked]) {
      expect(answer.status).toBe(413);
      expectMediaResponse(answer);
      expectGuarded(answer);
    }
  });

  it('A5 the answer to 413 is read even while a large form is still being sent', async () => {
    for (let n = 0; n < 10; n += 1) {
      const response = await fetch(`${http.publicUrl}/api/rest/media/101`, {
        method: 'POST',
        headers: { 'content-type': FORM },
        body: 'x'.repeat(2_000_000),
      });
      expect(response.status).toBe(413);
    }
  });

  it('A5 431 for a request line or headers that are too large', async () => {
    const path = `/api/rest/media/${'1-'.repeat(10_000)}1`;
    for (const octets of [
      `POST ${path} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `POST /api/rest/media/101 HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(20_000)}\r\n\r\n`,
    ]) {
      const answer = await sendRaw(http.publicPort, octets);
      expect(answer.status).toBe(431);
      expectMediaResponse(answer);
      expectGuarded(answer);
    }
  });

  it('A5 400 for what is no HTTP', async () => {
    const answer = await sendRaw(http.publicPort, 'INVITE sip:x SIP/2.0\r\n\r\n');
    expect(answer.status).toBe(400);
    expectMediaResponse(answer);
    expectGuarded(answer);
  });

  it('A11 400 for HTTP/1.1 without Host, guarded like any answer; HTTP/1.0 needs none', async () => {
    const rest = `Content-Type: ${FORM}\r\nContent-Length: ${BLAST.length}\r\nConnection: close\r\n\r\n${BLAST}`;
    const answer = await sendRaw(http.publicPort, `POST /api/rest/media/101 HTTP/1.1\r\n${rest}`);
    expect(answer.status).toBe(400);
    expectMediaResponse(answer);
    expectGuarded(answer);
    expect((await sendRaw(http.publicPort, `POST /api/rest/media/101 HTTP/1.0\r\n${rest}`)).status).toBe(202);
  });

  it('A5 500 with MediaResponse, and the reason only in the log', async () => {
    http.switches.bug = true;
    const answer = await send('POST', '/api/rest/media/101', { body: BLAST });
    expect(answer.status).toBe(500);
    expectMediaResponse(answer);
    expectGuarded(answer);
    expect(answer.body).not.toContain('a bug');
  });

  it('A11 an expectation that nobody knows does not change the answer', async () => {
    const head = 'POST /api/rest/nothing HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n';
    const answer = await sendRaw(http.publicPort, head);
    expect(answer.status).toBe(404);
    expectMediaResponse(answer);
  });

  it('A11 URLs are never built from Host, and every answer is guarded', async () => {
    const answer = await send('POST', '/api/rest/media/101', { body: BLAST });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toMatch(/^\/api\/v1\/blasts\//);
    expect(JSON.stringify([...answer.headers])).not.toContain('evil');
    expectGuarded(answer);
  });

  it.each(['/api', '/api/', '/api/v1/nothing', '/api/v1/media', '/api/v1/blasts/1'])(
    'A11 guards %s too',
    async (target) => expectGuarded(await send('GET', target, { type: null })),
  );

  it('A11 takes a target in absolute form', async () => {
    const answer = await send('POST', 'http://evil.example/api/rest/media/101', { body: BLAST });
    expect(answer.status).toBe(202);
  });
});

/** Sends a body without announcing its length. */
const sendChunked = (path: string, chunks: readonly string[]): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': FORM, connection: 'close' };
    const sent = request({ port: http.publicPort, host: '127.0.0.1', method: 'POST', path, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => {
        const entries = Object.entries(response.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        resolve({ status: response.statusCode ?? 0, headers: new Map(entries), body });
      });
    });
    sent.on('error', reject);
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
  });
