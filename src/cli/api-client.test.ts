import { afterEach, expect, test } from 'vitest';
import { type ScriptedAnswer, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts';
import { type Api, type ApiOptions, createApi } from './api-client.ts';
import { Failure } from './failure.ts';

let server: ScriptedServer | undefined;
afterEach(async () => server?.close());

const KEY = 'a-key-nobody-may-see';

const apiTo = async (answer: ScriptedAnswer, options: Partial<ApiOptions> = {}): Promise<Api> => {
  server = await startScriptedServer(() => answer);
  return createApi({ baseUrl: server.url, bearer: KEY, onUnauthorized: 'give the right one', ...options });
};

const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Failure) return error;
  throw new Error('expected a Failure', { cause: error });
};

const GET = { method: 'GET', path: '/x' };

test('an answer comes parsed and as it was written', async () => {
  const api = await apiTo({ body: '{ "id" : "007" }' });
  const reply = await api.request<{ id: string }>({ method: 'POST', path: '/x', json: { a: 1 } });
  expect(reply.value.id).toBe('007');
  expect(reply.text).toBe('{ "id" : "007" }');
  expect(server?.seen[0]).toMatchObject({ method: 'POST', path: '/x', body: '{"a":1}' });
  expect(server?.seen[0]?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
  });
});

test('a form is form-encoded and carries no header when there is no bearer', async () => {
  const api = await apiTo({ json: {} }, { bearer: null });
  await api.request({ method: 'POST', path: '/x', form: { appkey: 'a&b', action: 'blast' } });
  expect(server?.seen[0]?.body).toBe('appkey=a%26b&action=blast');
  expect(server?.seen[0]?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
  expect(server?.seen[0]?.headers.authorization).toBeUndefined();
});

test('an answer without a body is no error', async () => {
  const api = await apiTo({ status: 204 });
  expect((await api.request({ method: 'DELETE', path: '/x' })).text).toBe('');
});

test("a problem document's sentence is the error", async () => {
  const api = await apiTo({ status: 422, json: { title: 'Unprocessable', detail: 'name must not be blank.' } });
  expect((await failureOf(api.request(GET))).message).toBe('name must not be blank.');
});

test("so is the message of the seed interface's envelope", async () => {
  const api = await apiTo({ status: 404, json: { MediaResponse: { message: 'No such media.', status: 404 } } });
  expect((await failureOf(api.request(GET))).message).toBe('No such media.');
});

test('a refused credential names the option that mends it, and never the credential', async () => {
  const api = await apiTo({ status: 401, json: { detail: 'The token is wrong.' } });
  const { message } = await failureOf(api.request(GET));
  expect(message).toBe('The token is wrong: give the right one.');
  expect(message).not.toContain(KEY);
});

test('terminal controls in a server sentence are made visible', async () => {
  const api = await apiTo({ status: 400, json: { detail: 'bad \u001b[2J' } });
  expect((await failureOf(api.request(GET))).message).toBe('bad \\u001b[2J.');
});

test('an answer that is no JSON is told, whatever its status', async () => {
  const page = await apiTo({ body: '<html>' });
  expect((await failureOf(page.request(GET))).message).toMatch(/no JSON: is it a Ringcast server\?$/);
  await server?.close();
  const broken = await apiTo({ status: 503, body: '<html>' });
  expect((await failureOf(broken.request(GET))).message).toMatch(/answered with status 503\.$/);
});

test('a redirect is not followed: the key stays here', async () => {
  const elsewhere = await startScriptedServer(() => ({ json: {} }));
  const api = await apiTo({ status: 307, headers: { location: elsewhere.url } });
  expect((await failureOf(api.request(GET))).message).toMatch(/status 307/);
  expect(elsewhere.seen).toEqual([]);
  await elsewhere.close();
});

test('when nothing answers the fix is to start the server', async () => {
  const api = await apiTo({});
  const url = api.baseUrl;
  await server?.close();
  expect((await failureOf(api.request(GET))).message).toBe(
    `nothing answers at ${url}: start it with \`ringcast serve\`, or name another address.`,
  );
});

test('the end of the signal ends the wait with its reason', async () => {
  const api = await apiTo({ json: {} }, { signal: AbortSignal.abort(new Failure('ended by SIGINT.')) });
  expect((await failureOf(api.request(GET))).message).toBe('ended by SIGINT.');
});

test('audio is downloaded octet by octet', async () => {
  const octets = Uint8Array.from([0, 255, 128, 13, 10]);
  const api = await apiTo({ body: octets, headers: { 'content-type': 'audio/wav' } });
  expect(await api.download('/x')).toEqual(octets);
});
