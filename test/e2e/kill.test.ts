import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPhone, type Phone } from '../../src/phone/phone.ts';
import { type Json, makeDirectory } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, type Scenario, toneWav, uploadMedia } from '../support/scenario.ts';
import { type ServerProcess, spawnRingcast } from '../support/server-process.ts';

/** Instants of a blast at which the server is killed, each told by something seen from outside. */
const INSTANTS = ['posted', 'accepted', 'invited', 'answered', 'greeting', 'playing', 'ended'] as const;
type Instant = (typeof INSTANTS)[number];
const KILLS = 21;

interface Watch {
  readonly seen: { type: string; sipCallId: string }[];
  once(type: string): Promise<void>;
}

let dataDirectory: string;
let phone: Phone;
const watch = makeWatch();

beforeAll(async () => {
  dataDirectory = await makeDirectory();
  phone = await openPhone({
    listen: { address: '127.0.0.1', port: 0 },
    recordDirectory: null,
    answerAfterMs: 0,
    behaviour: 'answer',
    onEvent: watch.note,
  });
});
afterAll(async () => {
  await phone.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

it(`${KILLS} kill -9: every accepted call has one outcome, and none that may have been answered is called again`, async () => {
  const accepted: string[] = [];
  let scenario: (Scenario & { mediaId: string }) | null = null;
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await spawnRingcast(dataDirectory);
    scenario ??= await prepare(server);
    const instant = INSTANTS[kill % INSTANTS.length] as Instant;
    accepted.push(...(await killAt(instant, server, scenario)));
  }
  if (!scenario) throw new Error('nothing was prepared');
  await check(scenario.appKey, accepted);
}, 180_000);

const prepare = async (server: ServerProcess): Promise<Scenario & { mediaId: string }> => {
  const scenario = await makeScenario(server.api, [phone.uri]);
  return { ...scenario, mediaId: await uploadMedia(server.api, scenario.appKey, toneWav(440, 10)) };
};

/** Posts a blast, kills the server at that instant, and returns the blast's id if it was accepted before. */
const killAt = async (
  instant: Instant,
  server: ServerProcess,
  { appKey, networkId, mediaId }: Scenario & { mediaId: string },
) => {
  const { api } = server;
  const seen = watch.once(instant === 'ended' ? 'ended' : instant === 'answered' ? 'answered' : 'invite');
  const posted = api.blast(mediaId, { networkid: networkId, appkey: appKey });
  if (instant === 'posted') {
    const answer = posted.then(
      (value) => [value],
      () => [],
    );
    await server.kill();
    return (await answer).map(blastIdOf);
  }
  const blastId = blastIdOf(await posted);
  if (['invited', 'answered', 'ended'].includes(instant)) await seen;
  if (instant === 'greeting' || instant === 'playing') {
    const clip = instant === 'greeting' ? 0 : 1;
    await blastUntil(api, appKey, blastId, ({ calls }) => calls[0].attempts[0]?.clips[clip].framesSent > 0);
  }
  await server.kill();
  return [blastId];
};

const check = async (appKey: string, accepted: readonly string[]): Promise<void> => {
  const server = await spawnRingcast(dataDirectory);
  try {
    for (const id of accepted) await blastUntil(server.api, appKey, id, ({ state }) => state === 'finished');
    // Those committed whose 202 was lost in the kill are listed too.
    const listed = must(200, await server.api.application('GET', '/blasts?limit=100', appKey)).items;
    expect(listed.map(({ id }: Json) => id)).toEqual(expect.arrayContaining([...accepted]));
    const known = new Set<string>();
    for (const { id } of listed) {
      const { calls } = await blastUntil(server.api, appKey, id, ({ state }) => state === 'finished');
      expect(calls).toMatchObject([
        { outcome: expect.stringMatching(/^(completed|interrupted)$/), attempts: [{ number: 1 }] },
      ]);
      expect(calls[0].attempts).toHaveLength(1);
      known.add(calls[0].attempts[0].sipCallId);
    }
    const invited = watch.seen.filter(({ type }) => type === 'invite').map(({ sipCallId }) => sipCallId);
    expect(new Set(invited).size).toBe(invited.length);
    expect(invited.filter((sipCallId) => !known.has(sipCallId))).toEqual([]);
  } finally {
    await server.terminate();
  }
};

function makeWatch(): Watch & { note(event: { type: string; sipCallId: string }): void } {
  const seen: Watch['seen'] = [];
  const waiting: { type: string; resolve: () => void }[] = [];
  return {
    seen,
    note({ type, sipCallId }) {
      seen.push({ type, sipCallId });
      const due = waiting.filter((waiter) => waiter.type === type);
      for (const waiter of due) {
        waiting.splice(waiting.indexOf(waiter), 1);
        waiter.resolve();
      }
    },
    once: (type) => new Promise((resolve) => waiting.push({ type, resolve })),
  };
}
