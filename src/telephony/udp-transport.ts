import { createSocket, type Socket } from 'node:dgram';
import { type AddressInfo, isIP, isIPv6 } from 'node:net';
import { type Hop, NotConnected, udpSource } from '../sip/hop.ts';
import type { Address } from '../sip/via.ts';
import { asIpv6, canonicalAddress } from './ip-address.ts';
import type { SipTransport } from './sip-transport.ts';

const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024;

const bind = (socket: Socket, listen: Address): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address: listen.address, port: listen.port, exclusive: true }, () => {
      socket.removeListener('error', reject);
      resolve(socket.address());
    });
  });

export const bindError = (transport: string, listen: Address, error: NodeJS.ErrnoException): Error => {
  const where = `${listen.address}:${listen.port} (${transport})`;
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
const refusalOf = (to: Hop, isOurs6: boolean): string | null => {
  if (to.transport !== 'udp') return `${to.transport.toUpperCase()} is not spoken here`;
  if (to.port < 1 || to.port > 65535) return 'there is no such port';
  if (isIP(to.address) === 0) return 'this is no IP address';
  return isIPv6(to.address) && !isOurs6 ? 'IPv6 is not spoken here' : null;
};

const transportOf = (socket: Socket, bound: Address): SipTransport => {
  const isOurs6 = isIPv6(bound.address);
  let isOpen = true;
  return {
    address: bound.address,
    port: bound.port,
    portOf: () => bound.port,
    send: (octets, to, onError) => {
      const refusal = isOpen ? refusalOf(to, isOurs6) : 'the SIP transport is closed';
      if (refusal !== null) {
        const error = new NotConnected(`Cannot send SIP to ${to.address}:${to.port}: ${refusal}.`);
        queueMicrotask(() => onError?.(error));
      } else {
        const address = isOurs6 ? asIpv6(to.address) : to.address;
        socket.send(octets, to.port, address, (error) => error && onError?.(error));
      }
    },
    onMessage: (handler) => {
      socket.removeAllListeners('message');
      socket.on('message', (octets, { address, port }) =>
        handler(octets, udpSource({ address: isOurs6 ? canonicalAddress(address) : address, port })),
      );
    },
    onLost: () => undefined,
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
    throw bindError('UDP', listen, error as NodeJS.ErrnoException);
  }
};
