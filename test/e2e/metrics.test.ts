import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPhone, type Phone, type PhoneBehaviour } from '../../src/phone/phone.ts';
import { startRingcast, type TestServer } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';
import { namesOf, samplesOf, sampleValue, scrape } from '../support/scrape.ts';

let server: TestServer;
let other: TestServer;
const phones: Phone[] = [];
/** Read while one call rang and one waited, and when all had ended. */
let during: string;
let after: string;
const secrets: string[] = [];
const OURS = /^ringcast_(calls_ended|call_attempts|blasts|uploads|grants)_total$/;

const phone = async (behaviour: PhoneBehaviour): Promise<Phone> => {
  const listen = { address: '127.0.0.1', port: 0 };
  const opened = await openPhone({ listen, recordDirectory: null, answerAfterMs: 0, behaviour });
  phones.push(opened);
  return opened;
};

const makeTrunk = async (id: string, { port }: Phone): Promise<void> => {
  const trunk = { id, host: '127.0.0.1', port, allowedPrefixes: ['+'], healthCheck: 'none', maxConcurrentCalls: 1 };
  must(201, await server.api.operator('POST', '/trunks', trunk));
};

const makeNetwork = async (applicationId: string, trunkId: string, destinations: string[]): Promise<string> => {
  const network = { destinations, trunkIds: [trunkId], applicationIds: [applicationId] };
  return must(201, await server.api.operator('POST', '/networks', network)).id;
};

beforeAll(async () => {
  server = await startRingcast();
  other = await startRingcast();
  const busy = await phone('busy');
  await makeTrunk('good', await phone('answer'));
  await makeTrunk('ringing', await phone('ring'));
  const { appKey, applicationId, networkId: direct } = await makeScenario(server.api, [busy.uri]);
  const answered = await makeNetwork(applicationId, 'good', ['+15550000001']);
  const rings = await makeNetwork(applicationId, 'ringing', ['+15550000002', '+15550000003']);
  const mediaId = await uploadMedia(server.api, appKey, toneWav(440, 5));
  secrets.push(appKey, '+1555', busy.uri, mediaId);

  const blast = async (networkid: string, key: string) =>
    server.api.blast(mediaId, { networkid, appkey: appKey }, { 'idempotency-key': key });
  const until = (id: string, state: string) =>
    blastUntil(server.api, appKey, id, ({ state: blastState, calls }) =>
      state === 'ringing' ? calls.some((call: { state: string }) => call.state === 'ringing') : blastState === state,
    );
  for (const networkId of [direct, answered]) {
    const id = blastIdOf(await blast(networkId, networkId));
    secrets.push(id);
    await until(id, 'finished');
  }
  must(202, await blast(direct, direct));
  must(404, await blast('no-such-network', 'x'));
  must(400, await server.api.blast(mediaId, { networkid: '', appkey: appKey }));
  must(401, await server.api.requestGrant('no-such-media', appKey));
  must(404, await server.api.upload('/api/rest/media/101/123', toneWav(440, 5)));
  const grant = must(201, await server.api.requestGrant(mediaId, appKey)).UploadResponse;
  secrets.push(grant.uri.split('/').at(-1), grant.grantId);
  must(415, await server.api.upload(grant.uri, new Uint8Array([1, 2, 3])));

  const ringing = blastIdOf(await blast(rings, rings));
  await until(ringing, 'ringing');
  during = await scrape(server);
  must(200, await server.api.application('POST', `/blasts/${ringing}/cancel`, appKey));
  await blastUntil(server.api, appKey, ringing, ({ calls }) =>
    calls.every((call: { state: string }) => call.state === 'finished'),
  );
  after = await scrape(server);
}, 60_000);

afterAll(async () => {
  await Promise.all(phones.map((open) => open.close()));
  await server?.close();
  await other?.close();
});

describe('GET /metrics', () => {
  it('is for the operator alone', async () => {
    const answer = await fetch(`${server.operatorUrl}/metrics`);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="ringcast"']);
    expect(await answer.text()).not.toContain('ringcast_');
    expect((await fetch(`${server.publicUrl}/metrics`)).status).toBe(404);
  });

  it('is Prometheus text', async () => {
    const headers = { authorization: `Bearer ${server.operatorToken}` };
    const answer = await fetch(`${server.operatorUrl}/metrics`, { headers });
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(samplesOf(await answer.text()).length).toBeGreaterThan(50);
  });

  it.each([
    ['direct', 'busy', 1],
    ['good', 'completed', 1],
    ['ringing', 'cancelled', 1],
    ['none', 'cancelled', 1],
  ])('counts each call once: trunk %s, outcome %s', (trunk, outcome, calls) => {
    expect(sampleValue(after, 'ringcast_calls_ended_total', { trunk, outcome })).toBe(calls);
    const attempts = sampleValue(after, 'ringcast_call_attempts_ended_total', { trunk, outcome });
    expect(attempts).toBe(trunk === 'none' ? undefined : calls);
  });

  it('counts nothing else as a call', () => {
    const ended = samplesOf(after).filter(({ name }) => name === 'ringcast_calls_ended_total');
    expect(ended.map(({ value }) => value)).toEqual([1, 1, 1, 1]);
  });

  it('gives what the answer-seizure ratio is made of', () => {
    for (const trunk of ['direct', 'good', 'ringing'])
      expect(sampleValue(after, 'ringcast_call_attempts_total', { trunk })).toBe(1);
    expect(sampleValue(after, 'ringcast_call_answers_total', { trunk: 'good' })).toBe(1);
    expect(sampleValue(after, 'ringcast_call_answers_total', { trunk: 'direct' })).toBe(0);
  });

  it('tells how long answered calls lasted, and that this one was short', () => {
    expect(sampleValue(after, 'ringcast_call_duration_seconds_count', { trunk: 'good' })).toBe(1);
    expect(sampleValue(after, 'ringcast_call_duration_seconds_sum', { trunk: 'good' })).toBeGreaterThan(0.1);
    const short = sampleValue(after, 'ringcast_call_duration_seconds_bucket', { trunk: 'good', le: '6' });
    expect(sampleValue(after, 'ringcast_short_calls_total', { trunk: 'good' }) ?? 0).toBe(short);
  });

  it('tells the queue, its age and the calls in progress as they are', () => {
    expect(sampleValue(during, 'ringcast_calls_waiting')).toBe(1);
    expect(sampleValue(during, 'ringcast_oldest_waiting_call_age_seconds')).toBeGreaterThan(0);
    expect(sampleValue(during, 'ringcast_calls_in_progress', { trunk: 'ringing' })).toBe(1);
    const states = ['waiting', 'dialing', 'ringing', 'playing'];
    expect(states.map((state) => sampleValue(during, 'ringcast_calls', { state }))).toEqual([1, 0, 1, 0]);
    expect(states.map((state) => sampleValue(after, 'ringcast_calls', { state }))).toEqual([0, 0, 0, 0]);
    expect(sampleValue(after, 'ringcast_calls_waiting')).toBe(0);
    expect(sampleValue(after, 'ringcast_oldest_waiting_call_age_seconds')).toBe(0);
    expect(sampleValue(after, 'ringcast_calls_in_progress', { trunk: 'ringing' })).toBe(0);
  });

  it('tells the state of each trunk', () => {
    for (const trunk of ['good', 'ringing'])
      expect(
        ['up', 'down', 'unknown'].map((state) => sampleValue(after, 'ringcast_trunk_state', { trunk, state })),
      ).toEqual([1, 0, 0]);
  });

  it.each([
    ['blasts', { accepted: 3, replayed: 1, not_associated: 1, missing_parameter: 1 }],
    ['grants', { issued: 2, media_not_owned: 1 }],
    ['uploads', { committed: 1, grant_unknown: 1, not_audio: 1 }],
  ])('counts %s by result', (what, results) => {
    const samples = samplesOf(after).filter(({ name, value }) => name === `ringcast_${what}_total` && value > 0);
    expect(Object.fromEntries(samples.map(({ labels, value }) => [labels.result, value]))).toEqual(results);
  });

  it('counts requests by the pattern of their route, strays as one', async () => {
    const route = '/api/rest/media/:mediaid';
    const requests = { listener: 'public', method: 'POST', route };
    expect(sampleValue(after, 'ringcast_http_requests_total', { ...requests, status: '202' })).toBe(4);
    expect(sampleValue(after, 'ringcast_http_requests_total', { ...requests, status: '404' })).toBe(1);
    const strays = { listener: 'public', method: 'other', route: 'none' };
    const count = async (status: string) =>
      sampleValue(await scrape(server), 'ringcast_http_requests_total', { ...strays, status }) ?? 0;
    const before = [await count('404'), await count('405')] as const;
    const ask = (method: string, path: string) => fetch(server.publicUrl + path, { method });
    await ask('GET', '/nothing/1');
    await ask('PURGE', '/nothing/2');
    await ask('DELETE', '/api/rest/media/101');
    expect([await count('404'), await count('405')]).toEqual([before[0] + 2, before[1] + 1]);
    expect(await scrape(server)).not.toContain('/nothing');
  });

  it('tells commits, the event loop and the start of the process', () => {
    const commits = sampleValue(after, 'ringcast_store_commit_duration_seconds_count') ?? 0;
    expect(commits).toBeGreaterThan(10);
    expect(sampleValue(after, 'ringcast_store_commit_units_count')).toBe(commits);
    expect(sampleValue(after, 'ringcast_store_commit_units_sum')).toBeGreaterThanOrEqual(commits);
    expect(sampleValue(after, 'ringcast_store_commits_failed_total')).toBe(0);
    expect(sampleValue(after, 'ringcast_store_up')).toBe(1);
    expect(sampleValue(after, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(sampleValue(after, 'process_start_time_seconds')).toBeGreaterThan(1e9);
  });

  it('names no key, token, destination, call or media', () => {
    expect(secrets.length).toBeGreaterThan(6);
    const values = samplesOf(after).flatMap(({ labels }) => Object.values(labels));
    for (const secret of secrets) {
      expect(values).not.toContain(secret);
      if (secret.length > 4) expect(after).not.toContain(secret);
    }
  });

  it('is of one server: another in the same process has its own', async () => {
    const text = await scrape(other);
    expect(samplesOf(text).filter(({ name, value }) => OURS.test(name) && value > 0)).toEqual([]);
    expect(sampleValue(text, 'ringcast_calls_waiting')).toBe(0);
  });
});

describe.each(['docs/grafana-dashboard.json', 'docs/watching.md', 'deploy/alerts.yml'])('%s', (path) => {
  const text = readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
  const METRIC = /\b(?:ringcast|nodejs|process)_[a-z0-9_]+/g;

  it('names only metrics that are in a scrape', () => {
    const named = [...new Set(text.match(METRIC))];
    expect(named.length).toBeGreaterThan(6);
    const known = namesOf(after);
    expect(named.filter((name) => !known.has(name) && !known.has(`${name}_count`))).toEqual([]);
  });
});

describe('docs/watching.md', () => {
  const text = readFileSync(fileURLToPath(new URL('../../docs/watching.md', import.meta.url)), 'utf8');

  it('tells what every metric of ours means', () => {
    const families = [...after.matchAll(/^# TYPE (ringcast_\S+)/gm)].map(([, name = '']) => name);
    expect(families.length).toBeGreaterThan(15);
    for (const family of families) expect(text).toContain(`\`${family}`);
  });
});
