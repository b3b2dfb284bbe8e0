import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpFixture, startHttp } from '../../test/support/http-fixture.ts';
import { tusClient } from '../../test/support/tus-client.ts';
import { formOf, uploadClient } from '../../test/support/upload-client.ts';
import { sha256 } from './sha256.ts';

const ROUNDS = 200;
const CLIENTS = 50;

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterAll(() => http.close());

const { issue, put, postForm, stateOf, clipOf } = uploadClient(() => http);
const { begin, patch } = tusClient(() => http);

const textOf = (client: number): string => `audio ${String(client).padStart(2, '0')}`;

/** Each client its own way: PUT, a form, or the end of one of four resumable uploads, which share all but that end. */
const clientsOf = async (uri: string): Promise<readonly (() => Promise<Response>)[]> => {
  const locations = await Promise.all([1, 2, 3, 4].map(() => begin(uri, 8)));
  await Promise.all(locations.map((location) => patch(location, 0, 'audio ')));
  return Array.from({ length: CLIENTS }, (_, client) => () => {
    const text = textOf(client);
    if (client % 3 === 0) return put(uri, text);
    if (client % 3 === 1) return postForm(uri, formOf(text));
    return patch(locations[client % 4] ?? '', 6, text.slice(6));
  });
};

it(`B of ${CLIENTS} uploads at once exactly one wins, ${ROUNDS} times, and the clip is its own`, {
  timeout: 10_000 * ROUNDS,
}, async () => {
  const losers = new Map<number, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { uri } = await issue('102');
    const clients = await clientsOf(uri);
    const statuses = await Promise.all(clients.map(async (send) => (await send()).status));
    const winners = [...statuses.keys()].filter((client) => [201, 204].includes(statuses[client] ?? 0));
    expect(winners).toHaveLength(1);
    expect((await clipOf('102'))?.digest).toBe(sha256(textOf(winners[0] ?? -1)));
    expect(await stateOf(uri)).toMatchObject({ state: 'spent', failedTries: 0 });
    for (const status of statuses) losers.set(status, (losers.get(status) ?? 0) + 1);
  }
  expect([...losers.keys()].filter((status) => ![201, 204, 409, 410].includes(status))).toEqual([]);
  expect((losers.get(201) ?? 0) + (losers.get(204) ?? 0)).toBe(ROUNDS);
  expect(http.sql('select * from partial_uploads')).toEqual([]);
});
