import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeNeeding } from '../support/describe-needing.ts';
import { FAKETIME, fakedTime, LACK_OF_FAKETIME, setClockBy } from '../support/faked-time.ts';
import { makeDirectory } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';
import { spawnRingcast } from '../support/server-process.ts';
import { openTestPhone } from '../support/test-phone.ts';

const HOUR_S = 3600;

/** Jumps of the machine's clock while calls play and wait, each an hour; the second takes back two. */
const OFFSETS_S = [HOUR_S, -HOUR_S, 0];

describeNeeding('libfaketime', LACK_OF_FAKETIME, () => {
  it('a clock that is set by an hour moves nothing: calls play on, and those that wait are dialled in their turn', async () => {
    const directory = await makeDirectory();
    const file = `${directory}.time`;
    setClockBy(file, 0);
    const { phone, events } = await openTestPhone();
    // An hour to be dialled, so that a jump would let every call expire; one call at a time, so that the others wait.
    const environment = { ...fakedTime(FAKETIME ?? '', file), RINGCAST_MAX_CONCURRENT_CALLS: '1' };
    const server = await spawnRingcast(join(directory, 'data'), environment);
    try {
      const { api } = server;
      const destinations = ['a', 'b'].map((user) => `sip:${user}@127.0.0.1:${phone.port}`);
      const { appKey, networkId } = await makeScenario(api, destinations);
      const mediaId = await uploadMedia(api, appKey, toneWav(440, 15));
      const post = async () =>
        blastIdOf(await api.blast(mediaId, { networkid: networkId, appkey: appKey, greetingid: mediaId }));
      let blastId = await post();
      for (const offset of OFFSETS_S) {
        await blastUntil(api, appKey, blastId, ({ calls }) =>
          calls.some(({ state }: { state: string }) => state === 'playing'),
        );
        const grant = must(201, await api.requestGrant(mediaId, appKey)).UploadResponse;
        setClockBy(file, offset);
        await untilDate(server.publicUrl, offset);
        must(201, await api.upload(grant.uri, toneWav(440, 15)));
        const next = await post();
        const { calls } = await blastUntil(api, appKey, blastId, ({ state }) => state === 'finished');
        expect(calls.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['completed', 'completed']);
        blastId = next;
      }
      await blastUntil(api, appKey, blastId, ({ state }) => state === 'finished');
      expect(events.filter(({ type }) => type === 'answered')).toHaveLength(8);
    } finally {
      await server.kill();
      await rm(directory, { recursive: true, force: true });
      await rm(file, { force: true });
    }
  }, 60_000);
});

/** Until the server's own clock shows what it was set by; Node reads it once a second. */
const untilDate = async (url: string, offsetS: number): Promise<void> => {
  for (;;) {
    const date = Date.parse((await fetch(`${url}/health/live`)).headers.get('date') ?? '');
    if (Math.abs(date - Date.now() - 1000 * offsetS) < 60_000) return;
  }
};
