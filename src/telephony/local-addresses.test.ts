import { expect, test } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { sharedRenditions } from '../../test/support/renditions.ts';
import { createSeededNetwork } from '../../test/support/seeded-network.ts';
import { createQueue } from '../../test/support/stream-bench.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { createVirtualMedia } from '../../test/support/virtual-media.ts';
import { zoneOf } from '../../test/support/zone.ts';
import { random } from '../clock.ts';
import type { CallTrunk } from '../domain/call.ts';
import { NO_SILENCES } from '../domain/silences.ts';
import { createUserAgent } from './user-agent.ts';

const PORT = 5060;
const SILENCE = sharedRenditions(() => new SharedArrayBuffer(0));

const TRUNK: CallTrunk = { id: 't1', host: 'trunk.test', port: PORT, transport: 'udp', credentials: null };

/** A user agent at a wildcard, and what each address of the trunk hears. */
const bench = (addresses: readonly string[], externalAddress: string | null) => {
  const clock = createVirtualClock();
  const network = createSeededNetwork(clock);
  const heard = addresses.map((address) => {
    const texts = createQueue<string>();
    network.attach({ address, port: PORT }).onMessage((octets) => texts.push(new TextDecoder().decode(octets)));
    return texts;
  });
  const agent = createUserAgent({
    transport: network.attach({ address: '::', port: PORT }),
    media: createVirtualMedia(clock),
    externalAddress,
    wakeAfter: clock.wakeAfter,
    random,
    log: QUIET_LOG,
    dns: zoneOf({ 'trunk.test': addresses }),
    monotonicMs: () => clock.nowMs,
  });
  return { clock, heard, agent };
};

/** Calls the addresses of the trunk, one after the other. */
const callEach = (addresses: readonly string[], externalAddress: string | null) => {
  const { clock, heard, agent } = bench(addresses, externalAddress);
  const { result } = agent.placeCall(
    {
      attemptId: 'a',
      sipCallId: 'call',
      fromTag: 'from',
      branch: 'z9hG4bK-1',
      destination: '+15551230000',
      trunk: TRUNK,
      callerId: null,
      ringTimeoutMs: 45_000,
      codecs: ['PCMU'],
      srtp: 'off',
      comedia: false,
      silences: NO_SILENCES,
      clips: [{ key: 'a', mediaId: null, frameCount: 1, renditions: SILENCE }],
    },
    () => undefined,
  );
  return { clock, heard, end: () => agent.close().then(() => result) };
};

const addressesIn = (request: string): string[] =>
  [/^Via: SIP\/2.0\/UDP (.*?):5060/m, /^Contact: <sip:[a-z0-9]+@(.*?):5060/m, /^c=IN (.*)\r$/m].map(
    (pattern) => pattern.exec(request)?.[1] ?? '',
  );

test('an INVITE that goes on to a hop which is reached from another address of ours names that one', async () => {
  const { clock, heard, end } = callEach(['10.0.0.9', '::1'], '192.0.2.9');
  const [dead, alive] = heard;
  // The system is asked for an address: that takes real time.
  while (dead?.items.length === 0) await clock.advance(10);
  await clock.advance(5_100);
  expect(addressesIn(dead?.items[0] ?? '')).toEqual(['192.0.2.9', '192.0.2.9', 'IP4 192.0.2.9']);
  expect(addressesIn(alive?.items[0] ?? '')).toEqual(['[::1]', '[::1]', 'IP6 ::1']);
  await end();
});

test('a hop that no route leads to is left out', async () => {
  const { clock, heard, end } = callEach(['fe80::1', '127.0.0.1'], null);
  const [unreachable, alive] = heard;
  while (alive?.items.length === 0) await clock.advance(10);
  expect([unreachable?.items.length, addressesIn(alive?.items[0] ?? '')[2]]).toEqual([0, 'IP4 127.0.0.1']);
  await end();
});

test('a REGISTER that goes on to another hop names the address of ours that is reached from there, and no hop without a route', async () => {
  const { clock, heard, agent } = bench(['fe80::1', '10.0.0.9', '::1'], '192.0.2.9');
  const [unreachable, dead, alive] = heard;
  const kept = agent.register(TRUNK, () => clock.nowMs);
  while (dead?.items.length === 0) await clock.advance(10);
  await clock.advance(5_100);
  expect(unreachable?.items).toEqual([]);
  expect(addressesIn(dead?.items[0] ?? '').slice(0, 2)).toEqual(['192.0.2.9', '192.0.2.9']);
  expect(addressesIn(alive?.items[0] ?? '').slice(0, 2)).toEqual(['[::1]', '[::1]']);
  void kept.leave();
  await agent.close();
});
