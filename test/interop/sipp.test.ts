import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseRtpPacket } from '../../src/rtp/packet.ts';
import { ADDRESS, openRtpPeer, payloads } from '../support/media.ts';
import { essenceOf, noiseClip, octetsOf, openCaller } from './caller.ts';
import { describeWithPeer, findFreePort, type PeerProgram, startPeer } from './peer-program.ts';

interface Sipp extends PeerProgram {
  readonly uri: string;
  /** How many messages whose first line begins so came in. */
  received(firstLine: string): Promise<number>;
}

/** sipp does not say when it listens; the kernel's table of sockets does. */
const untilBound = async (port: number, sipp: PeerProgram, table: '/proc/net/udp' | '/proc/net/tcp'): Promise<void> => {
  const entry = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  let hasEnded = false;
  void sipp.exited.then(() => {
    hasEnded = true;
  });
  while (!(await readFile(table, 'latin1')).includes(entry)) {
    if (hasEnded) throw new Error(`sipp ended at its start:\n${sipp.output()}`);
  }
};

/**
 * For scenarios with more than one transaction. Over UDP a busy machine has our INVITE sent again (timer A), and sipp
 * knows a repeated request only until it has received another message: it then drops the call as out of order.
 */
const OVER_TCP = ['-t', 't1'] as const;

/** Runs one call of a scenario beside this file; `keys` are the ports and numbers in its session descriptions. */
const startSipp = async (
  scenario: string,
  keys: Record<string, number> = {},
  options: readonly string[] = [],
): Promise<Sipp> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-sipp-'));
  const [port, mediaPort, controlPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const file = join(import.meta.dirname, 'sipp', `${scenario}.xml`);
  const sockets = ['-i', ADDRESS, '-p', port, '-mi', ADDRESS, '-mp', mediaPort, '-ci', ADDRESS, '-cp', controlPort];
  const limits = ['-m', 1, '-nostdin', '-timeout', '25s', '-timeout_error'];
  const logs = ['-trace_msg', '-message_file', 'messages', '-trace_err', '-error_file', 'errors'];
  const session = Object.entries({ payload_type: 0, ...keys }).flatMap(([key, value]) => ['-key', key, value]);
  const peer = startPeer(
    'sipp',
    ['-sf', file, ...sockets, ...limits, ...logs, ...session, ...options].map(String),
    folder,
  );
  onTestFinished(async () => {
    await peer.end('SIGKILL');
    await rm(folder, { recursive: true });
  });
  const isTcp = options === OVER_TCP;
  await untilBound(port, peer, isTcp ? '/proc/net/tcp' : '/proc/net/udp');
  const received = async (firstLine: string) => {
    const log = await readFile(join(folder, 'messages'), 'latin1');
    return log.split(/(?:UDP|TCP) message received \[\d+\] bytes *:\s*/).filter((text) => text.startsWith(firstLine))
      .length;
  };
  return { ...peer, uri: `sip:phone@${ADDRESS}:${port}${isTcp ? ';transport=tcp' : ''}`, received };
};

describeWithPeer('sipp', 'sip-tester', () => {
  it.each([
    ['PCMU', 0],
    ['PCMA', 8],
  ] as const)('plays the whole playlist in %s to it, and acknowledges every answer', async (codec, payload_type) => {
    const ear = await openRtpPeer();
    const sipp = await startSipp('answers', { heard_on: ear.port, payload_type });
    const caller = await openCaller();
    const clips = [noiseClip('greeting', 20), noiseClip('first', 30)];
    const result = await caller.ring(sipp.uri, { clips }).result;
    expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec, framesSent: [20, 30] });
    await ear.until(50);
    expect(payloads(ear.packets()).equals(octetsOf(clips, codec))).toBe(true);
    expect(await sipp.exited).toBe(0);
    expect(await sipp.received('INVITE')).toBeGreaterThan(1);
    expect(await sipp.received('ACK')).toBeGreaterThan(1);
    expect(await sipp.received('BYE')).toBe(1);
  });

  it.each([
    ['busy', 'busy', 486],
    ['refuses-media', 'failed', 488],
  ] as const)('takes %s for an answer', async (scenario, outcome, sipStatus) => {
    const sipp = await startSipp(scenario);
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 5)] }).result;
    expect(essenceOf(result)).toEqual({ outcome, sipStatus, codec: null, framesSent: [0] });
    expect(await sipp.exited).toBe(0);
  });

  it('gives up when it has rung long enough', async () => {
    const sipp = await startSipp('rings');
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 5)], ringTimeoutMs: 500 }).result;
    expect(result.outcome).toBe('no_answer');
    expect(await sipp.exited).toBe(0);
  });

  it.each([
    ['answers from two phones', 'forks', 2],
    ['redirects to another of its addresses', 'redirects', 2],
    ['wants a longer session', 'wants-longer', 2],
    ['sends UPDATE before and after its answer', 'updates', 1],
    ['holds and resumes', 'holds', 1],
  ])('completes a call when it %s', async (_what, scenario, acks) => {
    const ear = await openRtpPeer();
    const sipp = await startSipp(scenario, { heard_on: ear.port }, OVER_TCP);
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 50)] }).result;
    expect(result.outcome).toBe('completed');
    expect(await sipp.exited, sipp.output()).toBe(0);
    expect(await sipp.received('ACK')).toBe(acks);
  });

  it('acknowledges each of its answers again as long as it hears no ACK', async () => {
    const ear = await openRtpPeer();
    // Without its own retransmissions, so that a repeated ACK counts as one.
    const sipp = await startSipp('loses-acks', { heard_on: ear.port }, ['-nr']);
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 80)] }).result;
    expect(result).toMatchObject({ outcome: 'completed', framesSent: [80] });
    expect(await sipp.exited, sipp.output()).toBe(0);
    expect(await sipp.received('ACK')).toBe(4);
  });

  it('hangs up on it when it answers after the CANCEL, and tells that it did', async () => {
    const sipp = await startSipp('answers-late', { heard_on: 9 });
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 5)], ringTimeoutMs: 500 }).result;
    expect(result).toMatchObject({ outcome: 'no_answer', wasAnswered: true, sipStatus: 200 });
    expect(await sipp.exited, sipp.output()).toBe(0);
  });

  it('tells when it wants to be called again', async () => {
    const sipp = await startSipp('overloaded');
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 5)] }).result;
    expect(result).toMatchObject({ outcome: 'unreachable', sipStatus: 503, retryAfterSeconds: 30 });
    expect(await sipp.exited).toBe(0);
  });

  it('sees that it hung up', async () => {
    const ear = await openRtpPeer();
    const sipp = await startSipp('hangs-up', { heard_on: ear.port });
    const caller = await openCaller();
    const result = await caller.ring(sipp.uri, { clips: [noiseClip('a', 500)] }).result;
    expect(result.outcome).toBe('hung_up');
    expect(result.framesSent[0]).toBeLessThan(500);
    expect(await sipp.exited).toBe(0);
  });

  it('follows it to another media port without losing a frame', async () => {
    const [first, second] = [await openRtpPeer(), await openRtpPeer()];
    const sipp = await startSipp('moves', { heard_on: first.port, then_heard_on: second.port });
    const caller = await openCaller();
    const clips = [noiseClip('a', 60)];
    const result = await caller.ring(sipp.uri, { clips }).result;
    expect(result.outcome).toBe('completed');
    expect(await sipp.exited).toBe(0);
    await second.until(60 - first.datagrams.length);
    expect([first.datagrams.length > 0, second.datagrams.length > 0]).toEqual([true, true]);
    const heard = [...first.datagrams, ...second.datagrams].map((datagram) => parseRtpPacket(datagram)?.payload);
    expect(Buffer.concat(heard as Uint8Array[]).equals(octetsOf(clips, 'PCMU'))).toBe(true);
  });
});
