import { createSocket, type Socket } from 'node:dgram';
import { isIP, isIPv6 } from 'node:net';
import type { RtpAddress } from './messages.ts';
import type { PortPool } from './port-pool.ts';

/** The one socket of a call, whatever sends for it. */
export interface RtpSocket {
  readonly port: number;
  /** Tells once, through `onSent`, whether the kernel took the packet. Never throws. */
  send(packet: Uint8Array, to: RtpAddress, onSent: (error: Error | null) => void): void;
  /** Nothing is sent after it; `onClosed` tells that the port is free. */
  close(onClosed: () => void): void;
}

type Lookup = (
  hostname: string,
  options: object,
  callback: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
) => void;

/**
 * Answers at once: media goes to numeric addresses only, and a name server must not stand in a packet's way. A socket of
 * IPv6 reaches IPv4 by mapped addresses (RFC 4291 2.5.5.2).
 */
const numericOnly =
  (isOurs6: boolean): Lookup =>
  (address, _options, callback) => {
    const family = isIP(address);
    if (family === 0) callback(new Error(`"${address}" is not a numeric IP address`), address, family);
    else if (family === 4 && isOurs6) callback(null, `::ffff:${address}`, 6);
    else callback(null, address, family);
  };

const bind = (address: string, port: number): Promise<Socket> => {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const isOurs6 = isIPv6(address);
  const socket = createSocket({ type: isOurs6 ? 'udp6' : 'udp4', lookup: numericOnly(isOurs6) });
  const onError = (error: Error): void => {
    socket.close();
    reject(error);
  };
  socket.once('error', onError);
  socket.bind({ address, port, exclusive: true }, () => {
    socket.removeListener('error', onError);
    resolve(socket);
  });
  return promise;
};

const wrap = (socket: Socket, onError: (error: Error) => void, onReleased: () => void): RtpSocket => {
  // What comes in is read and dropped by the socket itself, as it has no 'message' listener: it is never answered.
  socket.on('error', onError);
  return {
    port: socket.address().port,
    send(packet, to, onSent) {
      try {
        socket.send(packet, to.port, to.address, onSent);
      } catch (error) {
        onSent(error instanceof Error ? error : new Error(String(error)));
      }
    },
    close(onClosed) {
      socket.close(() => {
        onReleased();
        onClosed();
      });
    },
  };
};

const isTakenElsewhere = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');

/**
 * Binds the next free port of the pool, passing over those that another program holds. Rejects with a sentence for
 * people if none is left, or if `address` is not an address of this machine.
 */
export const openRtpSocket = async (
  address: string,
  pool: PortPool,
  onError: (error: Error) => void,
): Promise<RtpSocket> => {
  for (let tried = 0; tried < pool.size; tried += 1) {
    const port = pool.take();
    if (port === null) break;
    try {
      return wrap(await bind(address, port), onError, () => pool.release(port));
    } catch (error) {
      pool.release(port);
      if (!isTakenElsewhere(error)) throw new Error(`Cannot bind an RTP port on ${address}: ${String(error)}`);
    }
  }
  throw new Error('Every RTP port is in use: widen RINGCAST_RTP_PORTS, or allow fewer calls at once.');
};
