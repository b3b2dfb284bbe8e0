import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadBuiltInGreeting } from '../../src/audio/built-in-greeting.ts';
import { openPhone, type Phone, type PhoneBehaviour, type PhoneEvent } from '../../src/phone/phone.ts';
import { decodeUlaw } from '../../src/rtp/g711.ts';
import { readWav } from '../../src/rtp/wav.ts';
import { startRingcast, type TestServer } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';

type Recorded = Extract<PhoneEvent, { type: 'recorded' }>;

let server: TestServer;
let phones: Phone[] = [];
let recordings: string;

const phone = async (behaviour: PhoneBehaviour, onRecorded?: (recorded: Recorded) => void): Promise<Phone> => {
  const opened = await openPhone({
    listen: { address: '127.0.0.1', port: 0 },
    recordDirectory: recordings,
    answerAfterMs: 0,
    behaviour,
    onEvent: (event) => {
      if (event.type === 'recorded') onRecorded?.(event);
    },
  });
  phones.push(opened);
  return opened;
};

beforeAll(async () => {
  server = await startRingcast({ RINGCAST_RING_TIMEOUT_SECONDS: '1' });
  recordings = await mkdtemp(join(tmpdir(), 'ringcast-phone-'));
});
afterEach(async () => {
  await Promise.all(phones.map((open) => open.close()));
  phones = [];
});
afterAll(async () => {
  await server?.close();
  await rm(recordings, { recursive: true, force: true });
});

const blastTo = async (destination: string, frames = 10, application: Record<string, unknown> = {}) => {
  const scenario = await makeScenario(server.api, [destination], application);
  const mediaId = await uploadMedia(server.api, scenario.appKey, toneWav(440, frames));
  const answer = await server.api.blast(mediaId, { networkid: scenario.networkId, appkey: scenario.appKey });
  expect(answer.status).toBe(202);
  return { ...scenario, mediaId, blastId: blastIdOf(answer) };
};

describe('a blast rings a phone', () => {
  it('and it hears greeting, clip 1, clip 2 and the silences around them, sample for sample', async () => {
    const recorded = Promise.withResolvers<Recorded>();
    const callee = await phone('answer', recorded.resolve);
    const { appKey, networkId } = await makeScenario(server.api, [callee.uri]);
    const first = await uploadMedia(server.api, appKey, toneWav(440, 25));
    const second = await uploadMedia(server.api, appKey, toneWav(1000, 15));
    const answer = await server.api.blast(`${first}-${second}`, { networkid: networkId, appkey: appKey });
    expect(answer.body.MediaResponse).toEqual({
      message: `${first}-${second}`,
      status: 202,
      downloadUrl: '',
      fileSize: 0,
      mediaId: '',
      uri: '',
    });
    const blast = await blastUntil(server.api, appKey, blastIdOf(answer), ({ state }) => state === 'finished');
    const greeting = await loadBuiltInGreeting();
    expect(blast.calls).toMatchObject([
      {
        destination: callee.uri,
        state: 'finished',
        outcome: 'completed',
        attempts: [
          {
            number: 1,
            trunkId: null,
            sipStatus: 200,
            codec: 'PCMU',
            clips: [
              { mediaId: null, framesSent: greeting.frameCount, framesTotal: greeting.frameCount },
              { mediaId: first, framesSent: 25, framesTotal: 25 },
              { mediaId: second, framesSent: 15, framesTotal: 15 },
            ],
            rtp: { packetsSent: greeting.frameCount + 40 + (300 + 2 * 400 + 200) / 20 },
          },
        ],
      },
    ]);
    const silence = (ms: number) => new Int16Array(8 * ms);
    const sent = [
      silence(300),
      decodeUlaw(greeting.renditions.PCMU),
      silence(400),
      await heard(first, appKey),
      silence(400),
      await heard(second, appKey),
      silence(200),
    ].flatMap((samples) => [...samples]);
    expect(await voiceOf(await recorded.promise)).toEqual(sent);
  });

  it.each([
    ['busy', 'busy', 486],
    ['decline', 'rejected', 603],
    ['ring', 'no_answer', 487],
  ] as const)('that is set to %s, and the call ends %s', async (behaviour, outcome, sipStatus) => {
    const callee = await phone(behaviour);
    const { appKey, blastId } = await blastTo(callee.uri);
    const blast = await blastUntil(server.api, appKey, blastId, ({ state }) => state === 'finished');
    expect(blast.calls).toMatchObject([{ outcome, attempts: [{ sipStatus, answeredAt: null }] }]);
  });

  it('whose owner hangs up early, and the record says how far it got', async () => {
    const callee = await phone({ hangUpAfterMs: 300 });
    const { appKey, blastId } = await blastTo(callee.uri, 500);
    const blast = await blastUntil(server.api, appKey, blastId, ({ state }) => state === 'finished');
    const [greeting, clip] = blast.calls[0].attempts[0].clips;
    expect(blast.calls[0].outcome).toBe('hung_up');
    expect(greeting.framesSent).toBeGreaterThan(0);
    expect(clip.framesSent).toBeLessThan(clip.framesTotal);
  });

  it('a second time if the application has such a rule and it was busy', async () => {
    const callee = await phone('busy');
    const retry = { maxAttempts: 2, delaySeconds: 1, on: ['busy'] };
    const { appKey, blastId } = await blastTo(callee.uri, 10, { retry });
    const blast = await blastUntil(server.api, appKey, blastId, ({ state }) => state === 'finished');
    expect(blast.calls[0].attempts.map((attempt: { number: number }) => attempt.number)).toEqual([1, 2]);
    expect(blast.calls[0].outcome).toBe('busy');
  });

  it('until the blast is cancelled: while ringing', async () => {
    const callee = await phone('ring');
    const { appKey, blastId } = await blastTo(callee.uri);
    await blastUntil(server.api, appKey, blastId, ({ calls }) => calls[0].state === 'ringing');
    expect((await server.api.application('POST', `/blasts/${blastId}/cancel`, appKey)).status).toBe(200);
    const blast = await blastUntil(server.api, appKey, blastId, ({ calls }) => calls[0].state === 'finished');
    expect([blast.state, blast.calls[0].outcome]).toEqual(['cancelled', 'cancelled']);
    const again = await server.api.application('POST', `/blasts/${blastId}/cancel`, appKey);
    expect([again.status, again.body.state]).toEqual([200, 'cancelled']);
  });

  it('until the blast is cancelled: while playing', async () => {
    const callee = await phone('answer');
    const { appKey, blastId } = await blastTo(callee.uri, 2000);
    await blastUntil(server.api, appKey, blastId, ({ calls }) => calls[0].attempts[0]?.clips[0].framesSent > 0);
    must(200, await server.api.application('POST', `/blasts/${blastId}/cancel`, appKey));
    const blast = await blastUntil(server.api, appKey, blastId, ({ calls }) => calls[0].state === 'finished');
    expect(blast.calls[0].outcome).toBe('cancelled');
  });

  it('over a trunk, which must allow the number', async () => {
    const carrier = await phone('answer');
    const trunk = must(
      201,
      await server.api.operator('POST', '/trunks', {
        host: '127.0.0.1',
        port: carrier.port,
        allowedPrefixes: ['+1555'],
        srtp: 'off',
      }),
    );
    const made = must(201, await server.api.operator('POST', '/applications', { name: 'trunk test' }));
    const network = { destinations: ['+15551230000'], trunkIds: [trunk.id], applicationIds: [made.id] };
    const { id } = must(201, await server.api.operator('POST', '/networks', network));
    const appKey = made.appKey.secret;
    const mediaId = await uploadMedia(server.api, appKey, toneWav(440, 5));
    const answer = await server.api.blast(mediaId, { networkid: id, appkey: appKey });
    const blast = await blastUntil(server.api, appKey, blastIdOf(answer), ({ state }) => state === 'finished');
    expect(blast.calls).toMatchObject([{ outcome: 'completed', attempts: [{ trunkId: trunk.id }] }]);
    const refused = await server.api.operator('POST', '/networks', { ...network, destinations: ['+441'] });
    expect([refused.status, refused.body.field]).toEqual([422, 'destinations']);
  });
});

/** What was recorded, without the pauses of a machine that stalled (docs/adr/0015): the frames themselves must be all there. */
const voiceOf = async ({ path, pauses }: Recorded): Promise<number[]> => {
  const samples = [...readWav(await readFile(path)).samples];
  for (const pause of pauses.toReversed()) samples.splice(pause.atSample, pause.samples);
  return samples;
};

const heard = async (mediaId: string, appKey: string): Promise<Int16Array> => {
  const headers = { authorization: `Bearer ${appKey}` };
  const response = await fetch(`${server.publicUrl}/api/v1/media/${mediaId}/audio`, { headers });
  return readWav(new Uint8Array(await response.arrayBuffer())).samples;
};
