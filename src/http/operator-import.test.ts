import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, OPERATOR_TOKEN, startHttp } from '../../test/support/http-fixture.ts';
import { expectProblem, json, operatorClient, TRUNK } from '../../test/support/operator-client.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
  await created('/trunks', { ...TRUNK, id: 'us', allowedPrefixes: ['+1'] });
});
afterAll(() => http.close());

const { call, created } = operatorClient(() => http);
const importCsv = (id: string, body: string | ReadableStream) =>
  fetch(`${http.operatorUrl}/operator/v1/networks/${id}/destinations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'text/csv' },
    body,
    duplex: 'half',
  } as RequestInit);
const makeNetwork = async () => (await created('/networks', { destinations: [], trunkIds: ['us'] })).id;
const destinationsOf = async (id: string) => (await json(await call('GET', `/networks/${id}`))).destinations;

describe('D import of destinations', () => {
  it('D takes the column of a CSV that a heading names, and reports the lines that it refuses', async () => {
    const id = await makeNetwork();
    const csv = [
      '\uFEFFName;Number',
      '"Alice; ""A""";+15550000001',
      'Bob;"+15550000002"',
      '',
      'Carol;+15550000001',
      'Dave;+442071838750',
      'Eve;5550000003',
      'Frank;sip:frank@192.0.2.7;transport=udp',
    ].join('\r\n');
    expect(await json(await importCsv(id, csv))).toEqual({
      accepted: 3,
      duplicates: 1,
      refusedCount: 2,
      refused: [
        { line: 6, value: '+442071838750', reason: 'is a number that no trunk of the network allows' },
        { line: 7, value: '5550000003', reason: 'is neither an E.164 number nor a SIP URI' },
      ],
    });
    expect(await destinationsOf(id)).toEqual(['+15550000001', '+15550000002', 'sip:frank@192.0.2.7']);
  });

  it('D takes JSON too, and adds to what is there', async () => {
    const id = await makeNetwork();
    const path = `/networks/${id}/destinations`;
    expect(await json(await call('POST', path, ['+15550000001', 'x']))).toMatchObject({ accepted: 1, refusedCount: 1 });
    const again = { destinations: ['+15550000002', '+15550000001'] };
    expect(await json(await call('POST', path, again))).toMatchObject({ accepted: 1, duplicates: 1, refused: [] });
    expect(await destinationsOf(id)).toEqual(['+15550000001', '+15550000002']);
    expect((await call('POST', path, { numbers: [] })).status).toBe(422);
  });

  it('D reports at most 100 lines, and counts them all', async () => {
    const report = await json(await importCsv(await makeNetwork(), 'no\n'.repeat(1_200)));
    expect([report.refused.length, report.refusedCount, report.accepted]).toEqual([100, 1_200, 0]);
  });

  it('D stops at 100,000 destinations', async () => {
    const id = await makeNetwork();
    const lines = Array.from({ length: 100_003 }, (_, at) => `+1555${String(at).padStart(7, '0')}`).join('\n');
    const report = await json(await importCsv(id, lines));
    expect([report.accepted, report.refusedCount, report.refused[0]?.line]).toEqual([100_000, 3, 100_001]);
    expect(report.refused[0]?.reason).toContain('100000');
  });

  it('D refuses an unknown network, no body, and what is no list of lines', async () => {
    await expectProblem(await importCsv('nowhere', '+15550000001'), 404);
    await expectProblem(await call('POST', `/networks/${await makeNetwork()}/destinations`), 400);
    await expectProblem(await importCsv(await makeNetwork(), 'x'.repeat(100_000)), 400);
  });
});
