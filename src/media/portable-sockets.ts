import { createSocket, type Socket } from 'node:dgram';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { constants } from 'node:os';
import { isRtcp } from '../rtp/rtcp-parse.ts';
import { type CallSockets, MAX_PACKETS_AT_ONCE, MAX_PAIR_TRIES, type NotOpened } from './call-sockets.ts';
import type { RtpAddress } from './messages.ts';

type Lookup = (
  hostname: string,
  options: object,
  callback: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
) => void;

/** Answers at once: media goes to numeric addresses only, and a name server must not stand in a packet's way. */
const numericOnly: Lookup = (address, _options, callback) => callback(null, address, isIP(address));

const bind = async (address: string, port: number): Promise<Socket> => {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', lookup: numericOnly });
  const onError = (error: Error): void => {
    socket.close();
    reject(error);
  };
  socket.once('error', onError);
  socket.bind({ address, port, exclusive: true }, () => {
    socket.removeListener('error', onError);
    socket.on('error', () => {});
    resolve(socket);
  });
  return promise;
};

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');

interface Pair {
  readonly rtp: Socket;
  readonly rtcp: Socket;
  to: RtpAddress;
  /** Payload types that are let in; null before anything is. */
  listensTo: readonly number[] | null;
  /** Errno of a packet that failed after its flush: told with the next. */
  lateErrno: number;
}

const bindPair = async (address: string, wanted: number): Promise<Pair> => {
  for (let tried = 1; ; tried += 1) {
    const rtp = await bind(address, wanted);
    try {
      const { port } = rtp.address();
      if (port % 2 === 1) throw Object.assign(new Error('an odd port'), { code: 'EADDRINUSE' });
      return { rtp, rtcp: await bind(address, port + 1), to: { address, port: 0 }, listensTo: null, lateErrno: 0 };
    } catch (error) {
      rtp.close();
      if (wanted !== 0 || tried >= MAX_PAIR_TRIES || !isTaken(error)) throw error;
    }
  }
};

const errnoOf = (error: unknown): number =>
  error instanceof Error && 'errno' in error && typeof error.errno === 'number'
    ? Math.abs(error.errno)
    : constants.errno.EINVAL;

const HEADER_BYTES = 12;

/** Sockets of `node:dgram`, for machines where the C library cannot be reached. They need a turning event loop. */
export const createPortableSockets = (bindAddress: string, rows: number): CallSockets => {
  const headers = new DataView(new ArrayBuffer(rows * HEADER_BYTES));
  const pairs = new Map<number, Pair>();
  /** What came in and was not handed over yet. */
  const waiting: { readonly row: number; readonly octets: Uint8Array; readonly from: RtpAddress }[] = [];
  /** What is to be told at the next flush. */
  const failures: { readonly row: number; readonly errno: number }[] = [];
  /** Of the packet that is being handed over. */
  let latestFrom: RtpAddress = { address: '', port: 0 };

  const takeIn = (row: number, pair: Pair, octets: Uint8Array, from: RtpAddress): void => {
    if (waiting.length >= MAX_PACKETS_AT_ONCE || pair.listensTo === null) return;
    if (!isRtcp(octets) && !pair.listensTo.includes((octets[1] ?? 0) & 0x7f)) return;
    waiting.push({ row, octets, from: { address: from.address, port: from.port } });
  };

  const notOpened = (error: unknown): NotOpened => ({
    reason: `Cannot bind an RTP port on ${bindAddress}: ${String(error)}`,
    isTaken: isTaken(error),
  });

  return {
    headers,
    headerAt: (row) => row * HEADER_BYTES,
    frames: (shared) => ({ octets: new Uint8Array(shared), address: 0 }),
    open(row, port, onOpened) {
      const opened = bindPair(bindAddress, port).then((pair) => {
        pairs.set(row, pair);
        for (const socket of [pair.rtp, pair.rtcp]) {
          socket.on('message', (octets, from) => takeIn(row, pair, octets, from));
        }
        return pair.rtp.address().port;
      });
      opened.catch(notOpened).then(onOpened);
    },
    setPeer(row, { address, port }) {
      const pair = pairs.get(row);
      const canReach = isIPv4(address) || (isIPv6(address) && isIPv6(bindAddress));
      if (pair === undefined || !canReach || port === 0) {
        return `"${address}" port ${port} is not a numeric address that ${bindAddress} can send to.`;
      }
      pair.to = { port, address: isIPv6(bindAddress) && isIPv4(address) ? `::ffff:${address}` : address };
      return null;
    },
    put(row, frames, offset, length) {
      const pair = pairs.get(row);
      if (pair === undefined) return;
      if (pair.lateErrno !== 0) failures.push({ row, errno: pair.lateErrno });
      pair.lateErrno = 0;
      const packet = new Uint8Array(HEADER_BYTES + length);
      packet.set(new Uint8Array(headers.buffer, row * HEADER_BYTES, HEADER_BYTES));
      packet.set(frames.octets.subarray(offset, offset + length), HEADER_BYTES);
      try {
        pair.rtp.send(packet, pair.to.port, pair.to.address, (error) => {
          if (error !== null) pair.lateErrno = errnoOf(error);
        });
      } catch (error) {
        failures.push({ row, errno: errnoOf(error) });
      }
    },
    flush({ onFailure }) {
      for (const { row, errno } of failures.splice(0)) onFailure(row, errno);
    },
    listen(row, payloadTypes) {
      const pair = pairs.get(row);
      if (pair) pair.listensTo = payloadTypes;
    },
    receive(onPacket) {
      for (const { row, octets, from } of waiting.splice(0)) {
        const pair = pairs.get(row);
        latestFrom = from;
        if (pair) onPacket(row, octets, from.address === pair.to.address);
      }
    },
    source: () => latestFrom,
    receiveRtp: () => false,
    dropReturned: () => {},
    sendRtcp(row, packet, length, { address, port, isMux }) {
      const pair = pairs.get(row);
      const socket = isMux ? pair?.rtp : pair?.rtcp;
      try {
        socket?.send(Uint8Array.from(packet.octets.subarray(0, length)), port, address, () => {});
      } catch {
        // A report that cannot be sent is like one lost on the way.
      }
    },
    close(row, onClosed) {
      const pair = pairs.get(row);
      pairs.delete(row);
      if (pair === undefined) return onClosed();
      pair.rtp.close(() => pair.rtcp.close(() => onClosed()));
    },
  };
};
