// Ringcast's user agent in a process of its own: `caller.ts ORDER`, ORDER and the one line that it answers being JSON.
import { monotonicMs, random, wakeAfter } from '../../src/clock.ts';
import type { CallOrder } from '../../src/domain/call.ts';
import type { Log } from '../../src/domain/ports.ts';
import { NO_SILENCES } from '../../src/domain/silences.ts';
import { type MediaThread, startMediaThread } from '../../src/media/link.ts';
import { createDns } from '../../src/telephony/dns.ts';
import { openSipTransport } from '../../src/telephony/open-sip-transport.ts';
import { createUserAgent } from '../../src/telephony/user-agent.ts';
import type { CallerOrder, CallFigures } from './caller-order.ts';
import { createSilentMedia } from './silent-media.ts';

const ADDRESS = '127.0.0.1';
const EMPTY = new SharedArrayBuffer(0);
const CLIPS: CallOrder['clips'] = [
  { key: 'empty', mediaId: '1', frameCount: 0, renditions: { opus: EMPTY, G722: EMPTY, PCMU: EMPTY, PCMA: EMPTY } },
];

/** Says what it must on standard error: standard output is the figures'. */
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (...words) => console.error(...words),
  error: (...words) => console.error(...words),
};

const openMedia = ({ media }: CallerOrder): MediaThread | Promise<MediaThread> =>
  media === 'none'
    ? createSilentMedia()
    : startMediaThread({
        bindAddress: ADDRESS,
        ports: [0, 0],
        threads: 1,
        sockets: 'auto',
        log,
        nowMs: monotonicMs,
        wakeAfter,
      });

const openAgent = async (order: CallerOrder) => {
  const listen = { address: ADDRESS, port: 0 };
  const transport = await openSipTransport({ listen, tls: { own: null, authorities: null }, wakeAfter, log });
  const dns = createDns({ monotonicMs, wakeAfter });
  const media = await openMedia(order);
  const agent = createUserAgent({ transport, media, externalAddress: null, wakeAfter, random, log, dns, monotonicMs });
  return {
    agent,
    close: async () => {
      await agent.close();
      await media.close();
    },
  };
};

/** With names as the dialer gives them. */
const newOrder = (phonePort: number): CallOrder => ({
  attemptId: 'bench',
  sipCallId: random.hex(16),
  fromTag: random.hex(8),
  branch: `z9hG4bK${random.hex(12)}`,
  destination: `sip:phone@${ADDRESS}:${phonePort}`,
  trunk: null,
  callerId: '+15550001111',
  ringTimeoutMs: 45_000,
  codecs: ['PCMU', 'PCMA'],
  srtp: 'off',
  comedia: false,
  silences: NO_SILENCES,
  clips: CLIPS,
});

const run = async (order: CallerOrder): Promise<CallFigures> => {
  const { agent, close } = await openAgent(order);
  const placeMany = async (calls: number): Promise<void> => {
    let left = calls;
    const keepCalling = async (): Promise<void> => {
      while (left-- > 0) {
        const { outcome, sipReason } = await agent.placeCall(newOrder(order.phonePort), () => undefined).result;
        if (outcome !== 'completed') throw new Error(`A call ended ${outcome}: ${sipReason}`);
      }
    };
    await Promise.all(Array.from({ length: order.callsAtOnce }, keepCalling));
  };
  await placeMany(order.warmUpCalls);
  const startedMs = performance.now();
  const before = process.cpuUsage();
  await placeMany(order.calls);
  const { user, system } = process.cpuUsage(before);
  const figures = { calls: order.calls, seconds: (performance.now() - startedMs) / 1_000 };
  await close();
  return { ...figures, cpuSeconds: (user + system) / 1e6 };
};

const order: CallerOrder = JSON.parse(process.argv[2] ?? '');
process.stdout.write(`${JSON.stringify(await run(order))}\n`);
