import { once } from 'node:events';
import { constants } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADDRESS, bindSocket } from '../../test/support/media.ts';
import { type Libc, loadLibc } from './libc.ts';
import { createSendmsgOutbox, type LibcOutbox } from './libc-outbox.ts';
import { createRingOutbox } from './libc-ring.ts';

const AF_INET = 2;
const SOCK_DGRAM = 2;
/** `struct msghdr`, one `struct iovec`, a `sockaddr_in`, one octet. */
const [IOV, TO, OCTET, MESSAGE_BYTES] = [56, 72, 88, 96];

const closeLater = (libc: Libc, fd: number): void => onTestFinished(() => void libc.close(fd));

const openRing = (libc: Libc): LibcOutbox => createRingOutbox(libc, (fd) => closeLater(libc, fd));

const openSocket = (libc: Libc): number => {
  const fd = libc.socket(AF_INET, SOCK_DGRAM, 0);
  closeLater(libc, fd);
  return fd;
};

/** Messages of one octet each, their number. */
const makeMessages = (libc: Libc, count: number, addressOf: (nth: number) => string, port: number) => {
  const view = new DataView(new ArrayBuffer(count * MESSAGE_BYTES));
  const start = libc.addressOf(view.buffer);
  const pointTo = (at: number, target: number): void => view.setBigUint64(at, BigInt(start + target), true);
  for (let nth = 0; nth < count; nth += 1) {
    const at = nth * MESSAGE_BYTES;
    pointTo(at, at + TO);
    view.setUint32(at + 8, 16, true);
    pointTo(at + 16, at + IOV);
    view.setUint32(at + 24, 1, true);
    pointTo(at + IOV, at + OCTET);
    view.setUint32(at + IOV + 8, 1, true);
    view.setUint16(at + TO, AF_INET, true);
    view.setUint16(at + TO + 2, port);
    libc.inetPton(AF_INET, addressOf(nth), start + at + TO + 4);
    view.setUint8(at + OCTET, nth);
  }
  // The kernel knows an address alone: whoever sends refers to the memory until it has.
  const keep = (): void => void view.byteLength;
  return { keep, addressOf: (nth: number): number => start + nth * MESSAGE_BYTES };
};

const openPeer = async () => {
  const socket = await bindSocket();
  const heard: number[] = [];
  socket.on('message', (octets) => void heard.push(octets[0] ?? -1));
  const until = async (count: number): Promise<readonly number[]> => {
    while (heard.length < count) await once(socket, 'message');
    return heard.splice(0);
  };
  return { port: socket.address().port, until };
};

/** Not of every kernel, and often forbidden in containers: what a machine cannot do is no test of it. */
const canUseRing = (): boolean => {
  try {
    const [libc, fds] = [loadLibc(), [] as number[]];
    createRingOutbox(libc, (fd) => void fds.push(fd));
    for (const fd of fds) libc.close(fd);
    return true;
  } catch (error) {
    console.warn(`Left out the tests of packets by the batch: ${error instanceof Error ? error.message : error}`);
    return false;
  }
};

const hasRing = canUseRing();
const outboxes: [string, (libc: Libc) => LibcOutbox][] = [['a system call each', (libc) => createSendmsgOutbox(libc)]];
if (hasRing) outboxes.push(['by the batch', openRing]);
const AT_ONCE = 40;
const numbers = Array.from({ length: AT_ONCE }, (_, nth) => nth);
/** Refused at once, to a socket that has not asked for SO_BROADCAST. */
const BROADCAST = '255.255.255.255';

describe.runIf(process.platform === 'linux').each(outboxes)('messages to the kernel, %s', (_, open) => {
  it('arrive in order, flush after flush, and only those it did not take are told', async () => {
    const libc = loadLibc();
    const [outbox, socket, peer] = [open(libc), openSocket(libc), await openPeer()];
    const addressOf = (nth: number): string => (nth === 7 ? BROADCAST : ADDRESS);
    const messages = makeMessages(libc, AT_ONCE, addressOf, peer.port);
    // More in all than a ring has places.
    for (let round = 0; round < 10; round += 1) {
      const failures: (readonly [number, number])[] = [];
      for (const nth of numbers) outbox.put(socket, messages.addressOf(nth), 1000 + nth);
      outbox.flush((row, errno) => failures.push([row, errno]));
      expect(failures).toEqual([[1007, constants.errno.EACCES]]);
      expect(await peer.until(AT_ONCE - 1)).toEqual(numbers.filter((nth) => nth !== 7));
    }
    messages.keep();
  });
});

const inPart = (): void => {
  it('tells the rest as lost, and the next goes out whole', async () => {
    const libc = loadLibc();
    let taken = [2, -1, 3];
    const [socket, peer] = [openSocket(libc), await openPeer()];
    const outbox = openRing({
      ...libc,
      errno: () => constants.errno.EBUSY,
      ioUringEnter(ring, toSubmit) {
        const [count = toSubmit, ...later] = taken;
        taken = later;
        return count < 0 ? count : libc.ioUringEnter(ring, count);
      },
    });
    const messages = makeMessages(libc, 3, () => ADDRESS, peer.port);
    const flush = (): readonly (readonly [number, number])[] => {
      const failures: (readonly [number, number])[] = [];
      for (const nth of [0, 1, 2]) outbox.put(socket, messages.addressOf(nth), nth);
      outbox.flush((row, errno) => failures.push([row, errno]));
      return failures;
    };
    const { EAGAIN, EBUSY } = constants.errno;
    expect(flush()).toEqual([[2, EAGAIN]]);
    expect(flush()).toEqual([0, 1, 2].map((row) => [row, EBUSY]));
    expect(flush()).toEqual([]);
    expect(await peer.until(5)).toEqual([0, 1, 0, 1, 2]);
    messages.keep();
  });
};

if (hasRing) describe('a batch that the kernel takes in part', inPart);
