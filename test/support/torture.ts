import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { udpHop } from '../../src/sip/hop.ts';
import type { SipMessage } from '../../src/sip/message.ts';
import { parseMessage } from '../../src/sip/parse.ts';
import { respond } from '../../src/sip/response.ts';
import { serializeMessage } from '../../src/sip/serialize.ts';
import { createUserAgent } from '../../src/telephony/user-agent.ts';
import { QUIET_LOG } from './quiet-log.ts';
import { createSeededNetwork } from './seeded-network.ts';
import { createVirtualClock } from './virtual-clock.ts';
import { createVirtualMedia } from './virtual-media.ts';
import { zoneOf } from './zone.ts';

type Collection = 'rfc4475' | 'rfc5118';

const folderOf = (collection: Collection): string =>
  join(import.meta.dirname, '..', 'fixtures', 'sip-torture', collection);

/** Names of the messages that the archive of the RFC holds. */
export const tortureNames = (collection: Collection): string[] =>
  readdirSync(folderOf(collection)).map((file) => file.replace(/\.dat$/, ''));

/** The octets as the archive of the RFC has them. */
export const tortureOctets = (collection: Collection, name: string): Uint8Array =>
  readFileSync(join(folderOf(collection), `${name}.dat`));

export const parsedTorture = (octets: Uint8Array): SipMessage => {
  const result = parseMessage(octets);
  if (!result.ok) throw new Error(result.problem);
  return result.message;
};

const OURS = { address: '10.0.0.1', port: 5060 };
const PEER = { address: '10.0.0.2', port: 5070 };

/** What a running user agent answers when a peer that it knows sends the octets, as text; null if nothing. */
export const answerOfAgent = async (octets: Uint8Array): Promise<string | null> => {
  const clock = createVirtualClock();
  const network = createSeededNetwork(clock);
  const peer = network.attach(PEER);
  const agent = createUserAgent({
    transport: network.attach(OURS),
    media: createVirtualMedia(clock),
    externalAddress: null,
    wakeAfter: clock.wakeAfter,
    random: { digits: (length) => '1'.repeat(length), hex: (bytes) => 'ab'.repeat(bytes) },
    log: QUIET_LOG,
    dns: zoneOf({}),
    monotonicMs: () => clock.nowMs,
  });
  peer.onMessage((probe) => {
    const message = parsedTorture(probe);
    if (message.kind === 'request') peer.send(serializeMessage(respond(message, 200, { toTag: 'p' })), udpHop(OURS));
  });
  await Promise.all([agent.probe({ host: PEER.address, port: PEER.port, transport: 'udp' }), clock.advance(5_000)]);
  peer.onMessage(() => undefined);
  const answers: string[] = [];
  network.intercept((sent, from) => {
    if (from.address === OURS.address) answers.push(new TextDecoder().decode(sent));
    return 'pass';
  });
  peer.send(octets, udpHop(OURS));
  await clock.runOut();
  expect(agent.counts()).toEqual({ calls: 0, dialogs: 0, transactions: 0 });
  await agent.close();
  return answers[0] ?? null;
};

/** Status of an answer. */
export const statusOf = (answer: string | null): number | null =>
  answer === null ? null : Number(/^SIP\/2\.0 ([0-9]{3}) /.exec(answer)?.[1]);
