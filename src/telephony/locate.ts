import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { defaultPortOf, type Hop, type TransportName } from '../sip/hop.ts';
import { bareHost } from '../sip/uri.ts';
import { canonicalAddress } from './ip-address.ts';

/** Finds the address of a host by A or AAAA; an IP address is its own answer, given without waiting. */
export type Locate = (host: string, port: number | null, transport: TransportName) => Hop | Promise<Hop>;

/** Resolves a host name to one IP address of the given version. Rejects if there is none. */
export type LookupHost = (host: string, family: 4 | 6 | 'any') => Promise<string>;

export const lookupHost: LookupHost = async (host, family) =>
  (await lookup(host, { family: family === 'any' ? 0 : family })).address;

/** Locates peers that can be reached over an IP version. The promise rejects with a sentence that names the host. */
export const createLocate =
  (family: 4 | 6 | 'any', lookupName: LookupHost): Locate =>
  (host, statedPort, transport) => {
    const name = bareHost(host);
    const hopTo = (address: string): Hop => ({
      transport,
      address: canonicalAddress(address),
      port: statedPort ?? defaultPortOf(transport),
      tlsName: transport === 'tls' ? name : null,
    });
    if (isIP(name) !== 0) return hopTo(name);
    return lookupName(name, family).then(hopTo, (cause) => {
      throw new Error(`The host name ${name} has no address that can be reached from here.`, { cause });
    });
  };
