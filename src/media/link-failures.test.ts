import { describe, expect, it } from 'vitest';
import {
  ADDRESS,
  bindSocket,
  closeSocket,
  makeClip,
  makeLog,
  openRtpPeer,
  PCMU,
  pattern,
  payloads,
  prepare,
  SOCKET_KINDS,
  startThread,
} from '../../test/support/media.ts';

describe.each(SOCKET_KINDS)('what cannot be sent, %s sockets', (sockets) => {
  it('is not counted, told once, and does not stop the call or any other', async () => {
    const { log, lines } = makeLog();
    const [thread, peer] = [await startThread({ sockets, log }), await openRtpPeer()];
    const [nowhere, nobody, somewhere] = await Promise.all([1, 2, 3].map((seed) => prepare(thread, makeClip(seed, 5))));
    nowhere?.play({ address: 'phone.example', port: 4_000, ...PCMU });
    nobody?.play({ address: ADDRESS, port: 0, ...PCMU });
    somewhere?.play({ ...peer, ...PCMU });
    await Promise.all([nowhere?.finished, nobody?.finished, somewhere?.finished]);
    expect([nowhere?.framesSent(), nobody?.framesSent(), somewhere?.framesSent()]).toEqual([[0], [0], [5]]);
    expect(lines).toEqual(Array(2).fill('warn Voice packets of a call cannot be sent'));
  });

  it('plays to the end towards a port where nobody listens', async () => {
    const [thread, gone] = [await startThread({ sockets }), await bindSocket()];
    const { port: closedPort } = gone.address();
    await closeSocket(gone);
    const port = await prepare(thread, makeClip(1, 5));
    port.play({ address: ADDRESS, port: closedPort, ...PCMU });
    expect(await port.finished).toBe('played');
    expect(port.packetsSent()).toBe(5);
  });
});

/** An even port that is taken, with two pairs above it that are free. */
const findRange = async (): Promise<[number, number]> => {
  const taken = (await bindSocket()).address().port;
  if (taken % 2 === 1 || taken > 65_000) return findRange();
  try {
    const above = [];
    for (const port of [2, 3, 4, 5]) above.push(await bindSocket(taken + port));
    await Promise.all(above.map(closeSocket));
    return [taken, taken + 5];
  } catch {
    // Another program has one of them: look elsewhere.
    return findRange();
  }
};

describe.each(SOCKET_KINDS)('the port range, %s sockets', (sockets) => {
  it('gives even ports in turn, passes over what another program holds, and says when none is left', async () => {
    const [first, last] = await findRange();
    let nowMs = 0;
    const thread = await startThread({ sockets, ports: [first, last], nowMs: () => nowMs });
    const one = await prepare(thread, makeClip(1, 1));
    const two = await prepare(thread, makeClip(2, 1));
    expect([one.port, two.port]).toEqual([first + 2, first + 4]);
    expect(thread.capacity()).toBe(2);
    await expect(prepare(thread, makeClip(3, 1))).rejects.toThrow('widen RINGCAST_RTP_PORTS');
    await one.stop();
    await expect(prepare(thread, makeClip(3, 1))).rejects.toThrow('in use or was until a minute ago');
    expect(thread.capacity()).toBe(1);
    nowMs = 60_000;
    expect(thread.capacity()).toBe(3);
    expect((await prepare(thread, makeClip(3, 1))).port).toBe(first + 2);
  });

  it('is refused at the start if it holds no even port', async () => {
    await expect(startThread({ sockets, ports: [16_385, 16_385] })).rejects.toThrow('16385-16385 holds no even port');
  });

  it('is not to blame when the address is not of this machine', async () => {
    const thread = await startThread({ sockets, bindAddress: '192.0.2.1' });
    await expect(prepare(thread, makeClip(1, 1))).rejects.toThrow('Cannot bind an RTP port on 192.0.2.1');
  });
});

/** The real thread, which throws when it is given a clip of that key. */
const FRAGILE = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { syncBuiltinESMExports } from 'node:module';
    import threads from 'node:worker_threads';
    const { receiveMessageOnPort } = threads;
    threads.receiveMessageOnPort = (port) => {
      const received = receiveMessageOnPort(port);
      if (received?.message.audio?.frameCount === 13) throw new Error('crash on demand');
      return received;
    };
    syncBuiltinESMExports();
    threads.parentPort.on('message', ({ audio }) => {
      if (audio?.frameCount === 13) throw new Error('crash on demand');
    });
    await import(${JSON.stringify(new URL('./thread.ts', import.meta.url).href)});
  `)}`,
);

describe.each(SOCKET_KINDS)('a crash of the thread, %s sockets', (sockets) => {
  it('finishes every call, rejects what is being prepared, is logged, and the next call gets a new thread', async () => {
    const { log, lines } = makeLog();
    const [thread, peer] = [await startThread({ sockets, log, entry: FRAGILE }), await openRtpPeer()];
    const playing = await prepare(thread, makeClip(1, 3_000));
    playing.play({ ...peer, ...PCMU });
    await peer.until(1);
    await expect(prepare(thread, makeClip(2, 13))).rejects.toThrow('The media thread has ended.');
    expect(await playing.finished).toBe('broken-off');
    await playing.stop();
    expect(playing.framesSent()[0]).toBeLessThan(3_000);
    expect(lines).toEqual(['error The media thread crashed']);

    const next = await prepare(thread, makeClip(3, 2));
    const nextPeer = await openRtpPeer();
    next.play({ ...nextPeer, ...PCMU });
    await nextPeer.until(2);
    expect(payloads(nextPeer.packets())).toEqual(Buffer.from(pattern(3, 2)));
  });

  it('at the start is told', async () => {
    const entry = new URL('data:text/javascript,throw new Error("does not load")');
    await expect(startThread({ sockets, entry })).rejects.toThrow('The media thread has ended.');
  });
});

describe.each(SOCKET_KINDS)('closing the thread, %s sockets', (sockets) => {
  it('finishes and stops every call, without calling that a crash, and nothing can be prepared any more', async () => {
    const { log, lines } = makeLog();
    const [thread, peer] = [await startThread({ sockets, log }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 3_000));
    port.play({ ...peer, ...PCMU });
    await peer.until(1);
    await Promise.all([thread.close(), thread.close()]);
    await Promise.all([port.finished, port.stop()]);
    await expect(prepare(thread, makeClip(2, 1))).rejects.toThrow('The media thread is closed.');
    expect(lines).toEqual([]);
  });

  it('rejects clips that are no whole frames', async () => {
    const thread = await startThread({ sockets });
    const clip = { ...makeClip(1, 2), frameCount: 3 };
    await expect(prepare(thread, clip)).rejects.toThrow('Clip clip 1 has 120 octets of opus, not 3 whole frames.');
  });
});
