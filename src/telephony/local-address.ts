import { createSocket } from 'node:dgram';
import { isIP, isIPv6 } from 'node:net';
import type { Address } from '../sip/via.ts';

/** The address of ours that a peer sees first: what Via, Contact and SDP name. */
export type FindLocalAddress = (peer: Address) => Promise<string>;

const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];
const MAX_REMEMBERED = 256;

/** Asks the system which of its addresses it would send from: connecting a UDP socket sends nothing. */
export const addressTowards = (peer: Address): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(peer.address) ? 'udp6' : 'udp4');
    const finish = (settle: () => void): void => {
      socket.close();
      settle();
    };
    socket.once('error', (error) => finish(() => reject(error)));
    socket.once('connect', () => {
      const { address } = socket.address();
      finish(() => resolve(address));
    });
    // Without a callback, which would be given the error in place of the event.
    socket.connect(peer.port, peer.address);
  });

/**
 * `externalAddress` if the operator gave one and it is of the peer's IP version, else the address the transport is bound
 * to, else what the system says, remembered for the latest 256 peers. Rejects with a sentence if the system knows no way
 * to the peer.
 */
export const createFindLocalAddress = (
  externalAddress: string | null,
  boundAddress: string,
  findTowards: FindLocalAddress = addressTowards,
): FindLocalAddress => {
  const bound = WILDCARDS.includes(boundAddress) ? null : boundAddress;
  const remembered = new Map<string, string>();
  return async (peer) => {
    const isExternal = externalAddress !== null && isIP(externalAddress) === isIP(peer.address);
    const known = isExternal ? externalAddress : (bound ?? remembered.get(peer.address));
    if (known !== undefined) return known;
    const found = await findTowards(peer).catch((cause: unknown) => {
      throw new Error(`No network route leads to ${peer.address}.`, { cause });
    });
    remembered.set(peer.address, found);
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    return found;
  };
};
