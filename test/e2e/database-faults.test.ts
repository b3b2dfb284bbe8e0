import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPhone, type Phone } from '../../src/phone/phone.ts';
import { type Line, openLine } from '../support/line.ts';
import { createDatabase, postgresOfThisRun } from '../support/postgres-of-this-run.ts';
import { startRingcast, type TestServer } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';

const postgres = await postgresOfThisRun();

describe.skipIf(postgres === null)('while PostgreSQL', () => {
  let directory: string;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let line: Line;
  let callee: Phone;
  let onHungUp = (): void => undefined;
  let server: TestServer;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ringcast-faults-'));
    database = await createDatabase(postgres ?? '');
    const url = new URL(database.url);
    line = await openLine(Number(url.port));
    url.port = String(line.port);
    callee = await openPhone({
      listen: { address: '127.0.0.1', port: 0 },
      recordDirectory: directory,
      answerAfterMs: 0,
      behaviour: 'answer',
      onEvent: ({ type }) => type === 'ended' && onHungUp(),
    });
    server = await startRingcast({ RINGCAST_DATABASE_URL: url.href }, join(directory, 'data'));
  }, 60_000);
  afterAll(async () => {
    line.mend();
    await server.close();
    await callee.close();
    await line.close();
    await database.drop();
    await rm(directory, { recursive: true });
  });

  const readOnly = async (value: 'on' | 'off'): Promise<void> => {
    const client = new pg.Client({ connectionString: postgres ?? '' });
    await client.connect();
    await client.query(
      `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = ${value}`,
    );
    await client.end();
    // Sessions that are open keep what held when they began.
    line.cut();
    line.mend();
  };

  const FAULTS: Readonly<Record<string, { begin(): void | Promise<void>; end(): void | Promise<void> }>> = {
    'is down': { begin: () => line.refuse(), end: () => line.mend() },
    'resets every connection': { begin: () => line.cut(), end: () => line.mend() },
    hangs: { begin: () => line.hang(), end: () => line.mend() },
    'is read-only': { begin: () => readOnly('on'), end: () => readOnly('off') },
  };

  it.each(Object.entries(FAULTS))(
    '%s: no 202, a call in progress plays on, its outcome is written afterwards, and all goes on without a restart',
    async (_, { begin, end }) => {
      const { api } = server;
      const { appKey, networkId } = await makeScenario(api, [callee.uri]);
      const mediaId = await uploadMedia(api, appKey, toneWav(440, 100));
      const shortId = await uploadMedia(api, appKey, toneWav(440, 5));
      const post = (id: string) => api.blast(id, { networkid: networkId, appkey: appKey, greetingid: id });
      const { promise: hungUp, resolve } = Promise.withResolvers<void>();
      onHungUp = resolve;
      const blastId = blastIdOf(await post(mediaId));
      await blastUntil(api, appKey, blastId, ({ calls }) => calls[0].attempts[0]?.clips[0].framesSent > 0);

      await begin();
      const refused = await Promise.all([post(shortId), api.requestGrant(mediaId, appKey)]);
      expect(refused.map(({ status }) => status)).toEqual([502, 503]);
      expect((await fetch(`${server.publicUrl}/health/live`)).status).toBe(200);
      await hungUp;
      await end();

      const { calls } = await untilAnswered(() =>
        blastUntil(api, appKey, blastId, ({ state }) => state === 'finished'),
      );
      expect(calls[0]).toMatchObject({ outcome: 'completed', attempts: [{ number: 1, endedAt: expect.any(String) }] });
      for (const { framesSent, framesTotal } of calls[0].attempts[0].clips) expect(framesSent).toBe(framesTotal);
      const next = await untilAnswered(async () => ({ headers: new Headers(must202(await post(shortId))) }));
      await blastUntil(api, appKey, blastIdOf(next), ({ state }) => state === 'finished');
      // What was refused has left nothing.
      expect(must(200, await api.application('GET', '/blasts', appKey)).items).toHaveLength(2);
    },
    60_000,
  );
});

const must202 = (answer: { status: number; headers: Headers; body: unknown }): Headers => {
  must(202, answer);
  return answer.headers;
};

/** Tries until nothing is refused any more; the test's own time-out bounds it. */
const untilAnswered = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (;;) {
    const value = await attempt().catch(() => null);
    if (value !== null) return value;
  }
};
