import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { bareHost } from '../sip/uri.ts';
import { type Address, DEFAULT_SIP_PORT } from '../sip/via.ts';

/** Finds the address of a host by A or AAAA; an IP address is its own answer, given without waiting. */
export type Locate = (host: string, port: number | null) => Address | Promise<Address>;

/** Resolves a host name to one IP address of the given family. Rejects if there is none. */
export type LookupHost = (host: string, family: 4 | 6) => Promise<string>;

export const lookupHost: LookupHost = async (host, family) => (await lookup(host, { family })).address;

/** Locates peers for a transport of one IP family. The promise rejects with a sentence that names the host. */
export const createLocate =
  (family: 4 | 6, lookupName: LookupHost): Locate =>
  (host, statedPort) => {
    const name = bareHost(host);
    const port = statedPort ?? DEFAULT_SIP_PORT;
    if (isIP(name) !== 0) return { address: name, port };
    return lookupName(name, family).then(
      (address) => ({ address, port }),
      (cause) => {
        throw new Error(`The host name ${name} has no address that can be reached from here.`, { cause });
      },
    );
  };
