import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeNeeding } from '../support/describe-needing.ts';
import { makeDirectory } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';
import { type ServerProcess, spawnRingcast } from '../support/server-process.ts';
import { fillDisk, lackOfSmallDisks, withSmallDisk } from '../support/small-disk.ts';
import { openTestPhone } from '../support/test-phone.ts';

const EVERYTHING = { RINGCAST_LOG_LEVEL: 'debug' };
const TOKEN = 'the-token-of-this-test';

let directory: string;
let server: ServerProcess;
beforeEach(async () => {
  directory = await makeDirectory();
});
afterEach(async () => {
  await server.kill();
  await rm(directory, { recursive: true, force: true });
});

/** A blast of one call, which plays for `frames` frames. */
const scenarioOf = async (phoneUri: string, frames: number) => {
  const { api } = server;
  const { appKey, networkId } = await makeScenario(api, [phoneUri]);
  const mediaId = await uploadMedia(api, appKey, toneWav(440, frames));
  return {
    post: () => api.blast(mediaId, { networkid: networkId, appkey: appKey, greetingid: mediaId }),
    grant: () => api.requestGrant(mediaId, appKey),
    until: (blastId: string, isThere: Parameters<typeof blastUntil>[3]) => blastUntil(api, appKey, blastId, isThere),
  };
};

describeNeeding('a small disk', lackOfSmallDisks(), () => {
  it('while it is full, of database and log: no 202, a call in progress plays on, its outcome is written afterwards, and all goes on without a restart', async () => {
    const { phone, until } = await openTestPhone();
    const environment = { ...EVERYTHING, RINGCAST_OPERATOR_TOKEN: TOKEN };
    server = await spawnRingcast(directory, environment, withSmallDisk(directory));
    const scenario = await scenarioOf(phone.uri, 60);
    const blastId = blastIdOf(await scenario.post());
    await scenario.until(blastId, ({ calls }) => calls[0].attempts[0]?.clips[0].framesSent > 0);

    const makeRoom = fillDisk(server.id, directory);
    const accepted: string[] = [];
    // What room the files have left in themselves is soon used up.
    for (let answer = await scenario.post(); answer.status !== 502; answer = await scenario.post()) {
      must(202, answer);
      accepted.push(blastIdOf(answer));
    }
    expect((await scenario.grant()).status).toBe(503);
    expect((await fetch(`${server.publicUrl}/health/live`)).status).toBe(200);
    await until('ended');
    makeRoom();

    const { calls } = await scenario.until(blastId, ({ state }) => state === 'finished');
    expect(calls).toMatchObject([{ outcome: 'completed', attempts: [{ number: 1, answeredAt: expect.any(String) }] }]);
    for (const { framesSent, framesTotal } of calls[0].attempts[0].clips) expect(framesSent).toBe(framesTotal);
    for (const id of [...accepted, blastIdOf(await scenario.post())])
      await scenario.until(id, ({ state }) => state === 'finished');
    expect(await server.terminate()).toBe(0);
  }, 60_000);
});

it.skipIf(process.platform !== 'linux')(
  'a log that cannot be written ends neither the server nor its calls, and does not keep it from ending',
  async () => {
    const { phone } = await openTestPhone();
    server = await spawnRingcast(directory, EVERYTHING, ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh']);
    const scenario = await scenarioOf(phone.uri, 5);
    const blast = await scenario.until(blastIdOf(await scenario.post()), ({ state }) => state === 'finished');
    expect(blast.calls[0].outcome).toBe('completed');
    expect(await server.terminate()).toBe(0);
  },
  30_000,
);
