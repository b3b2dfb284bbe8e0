import { expect, it, onTestFinished } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { startRingcast, type TestServer } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, toneWav, uploadMedia } from '../support/scenario.ts';
import { startBaresip } from './baresip.ts';
import { startLinphone } from './linphone.ts';
import { describeWithPeer } from './peer-program.ts';

interface Noted {
  readonly digit: string;
  readonly mediaId: string | null;
  readonly ms: number;
}

/** The keys on a call's record, whose places are in the order in which they were pressed: greeting first, then clip. */
const keysOf = (digits: readonly Noted[]): string => {
  const places = digits.map(({ mediaId, ms }) => [Number(mediaId !== null), ms] as const);
  expect(places).toEqual(places.toSorted(([clip, ms], [other, otherMs]) => clip - other || ms - otherMs));
  return digits.map(({ digit }) => digit).join('');
};

/** Presses one key after the other, each as soon as the one before was told as an event. */
const pressAll = async (keys: string, server: TestServer, appKey: string, press: (key: string) => void) => {
  const headers = { authorization: `Bearer ${appKey}` };
  const events = await openEventStream(`${server.publicUrl}/api/v1/events`, headers);
  onTestFinished(() => events.close());
  for (const key of keys) {
    press(key);
    const [told] = await events.take(1, ({ event, data }) => event === 'call.digit' && keys.includes(data.digit));
    expect(told?.data.digit).toBe(key);
  }
};

/** What baresip takes for letting go of a key. */
const RELEASE = '\x04';

describeWithPeer('baresip', 'baresip-core', () => {
  describeWithPeer('linphonec', 'linphone-cli', () => {
    it('notes each key once, with its place, and tells it as it is pressed: by RFC 4733 and by INFO', async () => {
      const [baresip, linphone] = await Promise.all([startBaresip('opus'), startLinphone('PCMU')]);
      const server = await startRingcast();
      onTestFinished(() => server.close());
      const { appKey, networkId } = await makeScenario(server.api, [baresip.uri, linphone.uri]);
      const mediaId = await uploadMedia(server.api, appKey, toneWav(440, 150));
      const answer = await server.api.blast(mediaId, { networkid: networkId, appkey: appKey });
      await Promise.all([baresip.until('Call established'), linphone.until('Media streams established')]);
      await Promise.all([
        pressAll('2#09', server, appKey, (key) => baresip.type(`${RELEASE}${key}`)),
        pressAll('7*', server, appKey, (key) => linphone.type(key)),
      ]);
      const blast = await blastUntil(server.api, appKey, blastIdOf(answer), ({ state }) => state === 'finished');
      const recordOf = (destination: string) =>
        blast.calls.find((call: { destination: string }) => call.destination === destination).attempts[0];
      const [byEvents, byInfo] = [recordOf(baresip.uri), recordOf(linphone.uri)];
      expect([byEvents.codec, keysOf(byEvents.digits)]).toEqual(['opus', '2#09']);
      expect([byInfo.codec, keysOf(byInfo.digits)]).toEqual(['PCMU', '7*']);
    });
  });
});
