import { createHash } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { monotonicMs, random, wakeAfter } from '../../src/clock.ts';
import type { AttemptResult, CallOrder, ClipAudio } from '../../src/domain/call.ts';
import { type Codec, renditionBytes } from '../../src/domain/codec.ts';
import type { PlacedCall } from '../../src/domain/ports.ts';
import { NO_SILENCES } from '../../src/domain/silences.ts';
import { decodeAlaw, decodeUlaw } from '../../src/rtp/g711.ts';
import type { SrtpSuiteName } from '../../src/rtp/srtp-suite.ts';
import { createDns } from '../../src/telephony/dns.ts';
import { openSipTransport } from '../../src/telephony/open-sip-transport.ts';
import type { SipTransport, TlsMaterial } from '../../src/telephony/sip-transport.ts';
import { createUserAgent } from '../../src/telephony/user-agent.ts';
import { ADDRESS, startThread } from '../support/media.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { sharedRenditions } from '../support/renditions.ts';

const DECODE = { PCMU: decodeUlaw, PCMA: decodeAlaw } as const;

/** Noise that holds every code of the codec: what it sounds like does not matter, that it arrives does. */
const noise = (seed: string, bytes: number): SharedArrayBuffer => {
  const shared = new SharedArrayBuffer(bytes);
  new Uint8Array(shared).set(createHash('shake256', { outputLength: bytes }).update(seed).digest());
  return shared;
};

export const noiseClip = (name: string, frameCount: number): ClipAudio => ({
  key: name,
  mediaId: null,
  frameCount,
  renditions: sharedRenditions((codec) => noise(`${name} ${codec}`, renditionBytes(codec, frameCount))),
});

/** The octets of a playlist in the order in which they are to be sent: what comparisons go by. */
export const octetsOf = (clips: readonly ClipAudio[], codec: Codec): Buffer =>
  Buffer.concat(clips.map(({ renditions }) => new Uint8Array(renditions[codec])));

export const samplesOf = (clips: readonly ClipAudio[], codec: keyof typeof DECODE): Int16Array =>
  DECODE[codec](octetsOf(clips, codec));

export interface Caller {
  ring(destination: string, order: Partial<CallOrder> & Pick<CallOrder, 'clips'>): PlacedCall;
  probe(port: number): Promise<boolean>;
  /** Resolves when the peer answers OPTIONS, whatever the answer. */
  untilUp(port: number): Promise<void>;
}

/** Leaves the line of one suite in a session description: a phone takes the first that it knows. */
const withSuite = (suite: SrtpSuiteName, octets: Uint8Array): Uint8Array => {
  const [head = '', body = ''] = Buffer.from(octets).toString('latin1').split('\r\n\r\n');
  const kept = body.replace(/a=crypto:\S+ (\S+).*\r\n/g, (line, name) => (name === suite ? line : ''));
  const length = `Content-Length: ${kept.length}`;
  return Buffer.from(`${head.replace(/Content-Length: \d+/, length)}\r\n\r\n${kept}`, 'latin1');
};

const offering = (suite: SrtpSuiteName, transport: SipTransport): SipTransport => ({
  ...transport,
  send: (octets, ...how) => transport.send(withSuite(suite, octets), ...how),
});

export interface CallerOptions {
  readonly tls?: TlsMaterial;
  readonly dnsServer?: string;
  /** The only one offered in place of all that we know. */
  readonly suite?: SrtpSuiteName | undefined;
}

/** The real user agent and media thread on 127.0.0.1; closed when the test is over. Asks `dnsServer` for names. */
export const openCaller = async (options: CallerOptions = {}): Promise<Caller> => {
  const { tls = { own: null, authorities: null }, dnsServer, suite } = options;
  const media = await startThread();
  const opened = await openSipTransport({ listen: { address: ADDRESS, port: 0 }, tls, wakeAfter, log: QUIET_LOG });
  const agent = createUserAgent({
    transport: suite ? offering(suite, opened) : opened,
    media,
    externalAddress: null,
    dns: createDns({ monotonicMs, wakeAfter, ...(dnsServer === undefined ? {} : { servers: [dnsServer] }) }),
    monotonicMs,
    wakeAfter,
    random,
    log: QUIET_LOG,
  });
  onTestFinished(() => agent.close());
  const ring: Caller['ring'] = (destination, order) =>
    agent.placeCall(
      {
        attemptId: random.hex(8),
        sipCallId: `${random.hex(16)}@${ADDRESS}`,
        fromTag: random.hex(8),
        branch: `z9hG4bK${random.hex(12)}`,
        destination,
        trunk: null,
        callerId: null,
        ringTimeoutMs: 20_000,
        codecs: ['PCMU', 'PCMA'],
        srtp: 'off',
        silences: NO_SILENCES,
        ...order,
      },
      () => undefined,
    );
  const probe = async (port: number): Promise<boolean> => (await agent.probe({ host: ADDRESS, port })).health === 'up';
  const untilUp = async (port: number): Promise<void> => {
    while (!(await probe(port)));
  };
  return { ring, probe, untilUp };
};

/** What a result is compared by. */
export const essenceOf = ({ outcome, sipStatus, codec, framesSent }: AttemptResult) => ({
  outcome,
  sipStatus,
  codec,
  framesSent,
});
