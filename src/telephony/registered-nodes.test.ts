import { expect, test } from 'vitest';
import { TRUNK } from '../../test/support/digest-gate.ts';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createSeededNetwork } from '../../test/support/seeded-network.ts';
import { PEER } from '../../test/support/telephony-bench.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { createVirtualMedia } from '../../test/support/virtual-media.ts';
import { zoneOf } from '../../test/support/zone.ts';
import { random } from '../clock.ts';
import { findHeader } from '../sip/message.ts';
import { nameAddr } from '../sip/name-addr.ts';
import { parseMessage } from '../sip/parse.ts';
import { respond } from '../sip/response.ts';
import { serializeMessage } from '../sip/serialize.ts';
import { serializeUri, type Uri } from '../sip/uri.ts';
import { createUserAgent } from './user-agent.ts';

test('the nodes of one database register the same trunk side by side, and each takes back its own binding alone', async () => {
  const clock = createVirtualClock();
  const network = createSeededNetwork(clock);
  const registrar = network.attach(PEER);
  /** What it holds, and for how many seconds: the first node that comes gets a minute, the others ten. */
  const bindings = new Map<string, { readonly uri: Uri; readonly seconds: number }>();
  const asked: string[] = [];
  registrar.onMessage((octets, from) => {
    const parsed = parseMessage(octets);
    if (!parsed.ok || parsed.message.kind !== 'request') throw new Error('no request');
    const uri = parsed.message.contacts[0]?.uri;
    if (!uri) throw new Error('no Contact');
    const key = serializeUri(uri);
    asked.push(`${Math.floor(clock.nowMs / 1000)} ${key} ${findHeader(parsed.message, 'Expires')}`);
    const seconds = bindings.get(key)?.seconds ?? (bindings.size === 0 ? 60 : 600);
    if (findHeader(parsed.message, 'Expires') === '0') bindings.delete(key);
    else bindings.set(key, { uri, seconds });
    const listed = [...bindings.values()].map((each) => nameAddr(each.uri, [['expires', String(each.seconds)]]));
    const answer = respond(parsed.message, 200, { toTag: 'r' });
    registrar.send(serializeMessage({ ...answer, contacts: listed }), from);
  });
  const nodeAt = (address: string) => {
    const agent = createUserAgent({
      transport: network.attach({ address, port: 5060 }),
      media: createVirtualMedia(clock),
      externalAddress: null,
      dns: zoneOf({}),
      monotonicMs: () => clock.nowMs,
      wakeAfter: clock.wakeAfter,
      random,
      log: QUIET_LOG,
    });
    return agent.register(TRUNK, () => clock.nowMs);
  };
  const first = nodeAt('10.0.0.11');
  await clock.advance(1_000);
  const second = nodeAt('10.0.0.12');
  await clock.advance(100_000);
  expect([...bindings.keys()]).toEqual(['sip:t1@10.0.0.11:5060', 'sip:t1@10.0.0.12:5060']);
  expect([first.now().state, second.now().state]).toEqual(['registered', 'registered']);
  // The second has its own ten minutes, not the minute that the list names first.
  expect(asked.filter((line) => line.includes('10.0.0.12'))).toHaveLength(1);
  expect(asked.filter((line) => line.includes('10.0.0.11')).length).toBeGreaterThan(2);
  const left = first.leave();
  await clock.advance(1_000);
  await left;
  expect([...bindings.keys()]).toEqual(['sip:t1@10.0.0.12:5060']);
  expect([first.now().state, second.now().state]).toEqual(['failed', 'registered']);
});
