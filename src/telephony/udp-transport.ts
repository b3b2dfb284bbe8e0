import { createSocket, type Socket } from 'node:dgram';
import { type AddressInfo, isIP } from 'node:net';
import type { Address } from '../sip/via.ts';

/** A SIP transport that carries whole messages. */
export interface SipTransport {
  /** Where it is bound, which may be a wildcard address. */
  readonly address: string;
  readonly port: number;
  /** If the octets could not be sent, `onError` is called: once, later, never before this returns. */
  send(octets: Uint8Array, to: Address, onError?: (error: Error) => void): void;
  /** One handler: a later one replaces it. */
  onMessage(handler: (octets: Uint8Array, from: Address) => void): void;
  close(): Promise<void>;
}

const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024;

const bind = (socket: Socket, listen: Address): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address: listen.address, port: listen.port, exclusive: true }, () => {
      socket.removeListener('error', reject);
      resolve(socket.address());
    });
  });

const bindError = (listen: Address, error: NodeJS.ErrnoException): Error => {
  const where = `${listen.address}:${listen.port} (UDP)`;
  const why =
    error.code === 'EADDRINUSE'
      ? 'another program uses it; stop that program or choose another port'
      : `${error.message}; choose an address of this machine`;
  return new Error(`Cannot listen for SIP on ${where}: ${why}.`, { cause: error });
};

const widenReceiveBuffer = (socket: Socket): void => {
  try {
    socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
  } catch {
    // The system's limit is lower: a smaller buffer only loses more datagrams under load, and SIP repeats them.
  }
};

/** Peers name ports and addresses too: what the socket would throw at is refused here. */
const refusalOf = (to: Address): string | null => {
  if (to.port < 1 || to.port > 65535) return 'there is no such port';
  return isIP(to.address) === 0 ? 'this is no IP address' : null;
};

const transportOf = (socket: Socket, bound: Address): SipTransport => {
  let isOpen = true;
  return {
    address: bound.address,
    port: bound.port,
    send: (octets, to, onError) => {
      const refusal = isOpen ? refusalOf(to) : 'the SIP transport is closed';
      if (refusal !== null) {
        const error = new Error(`Cannot send SIP to ${to.address}:${to.port}: ${refusal}.`);
        queueMicrotask(() => onError?.(error));
      } else socket.send(octets, to.port, to.address, (error) => error && onError?.(error));
    },
    onMessage: (handler) => {
      socket.removeAllListeners('message');
      socket.on('message', (octets, from) => handler(octets, { address: from.address, port: from.port }));
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      await new Promise<void>((resolve) => socket.close(resolve));
    },
  };
};

/**
 * Binds a UDP socket for SIP (RFC 3261 18). Port 0 takes any free port.
 * Rejects with a sentence that names the address if it cannot be bound.
 */
export const openUdpTransport = async (listen: { address: string; port: number }): Promise<SipTransport> => {
  const socket = createSocket({ type: listen.address.includes(':') ? 'udp6' : 'udp4' });
  try {
    const bound = await bind(socket, listen);
    widenReceiveBuffer(socket);
    // After binding, the socket reports what single datagrams met (such as ICMP refusals); those sends know of it.
    socket.on('error', () => undefined);
    return transportOf(socket, { address: bound.address, port: bound.port });
  } catch (error) {
    socket.close();
    throw bindError(listen, error as NodeJS.ErrnoException);
  }
};
