import { monotonicMs, random, wakeAfter } from '../../src/clock.ts';
import type { CallOrder } from '../../src/domain/call.ts';
import type { Log } from '../../src/domain/ports.ts';
import { NO_SILENCES } from '../../src/domain/silences.ts';
import { type MediaThread, startMediaThread } from '../../src/media/link.ts';
import { createDns } from '../../src/telephony/dns.ts';
import { openSipTransport } from '../../src/telephony/open-sip-transport.ts';
import { createUserAgent, type UserAgent } from '../../src/telephony/user-agent.ts';

const ADDRESS = '127.0.0.1';

/** Says what it must on standard error: standard output is the figures'. */
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (...words) => console.error(...words),
  error: (...words) => console.error(...words),
};

/** One real media thread on loopback; `ports` as in `RINGCAST_RTP_PORTS`, zeros for any. */
export const openMedia = (ports: readonly [number, number] = [0, 0]): Promise<MediaThread> =>
  startMediaThread({
    bindAddress: ADDRESS,
    ports,
    threads: 1,
    sockets: 'auto',
    log,
    nowMs: monotonicMs,
    wakeAfter,
  });

/** The real user agent on loopback, over media that it closes too. */
export const openAgent = async (media: MediaThread): Promise<{ readonly agent: UserAgent; close(): Promise<void> }> => {
  const listen = { address: ADDRESS, port: 0 };
  const transport = await openSipTransport({ listen, tls: { own: null, authorities: null }, wakeAfter, log });
  const dns = createDns({ monotonicMs, wakeAfter });
  const agent = createUserAgent({ transport, media, externalAddress: null, wakeAfter, random, log, dns, monotonicMs });
  const close = async (): Promise<void> => {
    await agent.close();
    await media.close();
  };
  return { agent, close };
};

/** With names as the dialer gives them. */
export const newOrder = (phonePort: number, clips: CallOrder['clips']): CallOrder => ({
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
  silences: NO_SILENCES,
  clips,
});
