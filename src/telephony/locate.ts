import { isIP } from 'node:net';
import { defaultPortOf, type Hop, type TransportName } from '../sip/hop.ts';
import { chooseNaptr, type LocateTarget, srvInOrder, srvNameOf, transportsFor } from '../sip/server-location.ts';
import { bareHost } from '../sip/uri.ts';
import type { Dns } from './dns.ts';
import { canonicalAddress } from './ip-address.ts';

/**
 * The hops to a target in the order in which they are to be tried (RFC 3263), at least one, at most 8. An IP address is
 * its own answer, given without waiting. Rejects with a sentence that names the host; never throws.
 */
export type Locate = (target: LocateTarget) => readonly Hop[] | Promise<readonly Hop[]>;

/** What our transports can send to. */
export interface Reach {
  readonly transports: readonly TransportName[];
  /** In the order of preference. */
  readonly families: readonly (4 | 6)[];
}

export const MAX_HOPS = 8;

/** A host and a port of which only the address is not known yet. */
interface Way {
  readonly transport: TransportName;
  readonly name: string;
  readonly port: number;
}

/** Locates peers by NAPTR, SRV, A and AAAA, whichever there are; `random` gives fractions of 0 to below 1. */
export const createLocate = (options: {
  readonly dns: Dns;
  readonly reach: Reach;
  readonly random: () => number;
}): Locate => {
  const { dns, reach, random } = options;

  const waysBySrv = async (transport: TransportName, srvName: string): Promise<readonly Way[]> =>
    srvInOrder(await dns.srv(srvName), random).map(({ name, port }) => ({ transport, name, port }));

  /** RFC 3263 4.2: by NAPTR if nothing says how, else by the SRV of each transport; null if there is neither. */
  const serviceWays = async (
    domain: string,
    transports: readonly TransportName[],
    target: LocateTarget,
  ): Promise<readonly Way[] | null> => {
    const chosen = target.transport ? [] : chooseNaptr(await dns.naptr(domain), transports);
    const asked = transports.map((transport) => ({ transport, srvName: srvNameOf(transport, domain) }));
    const services = chosen.length > 0 ? chosen : asked;
    const ways = (await Promise.all(services.map((service) => waysBySrv(service.transport, service.srvName)))).flat();
    return ways.length > 0 ? ways.filter(({ name }) => name !== '') : null;
  };

  const addressesOf = async (name: string, question: 'addresses' | 'system'): Promise<readonly string[]> => {
    if (isIP(name) !== 0) return reach.families.includes(isIP(name) as 4 | 6) ? [name] : [];
    const found = await Promise.allSettled(reach.families.map((family) => dns[question](name, family)));
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const failure = found.find((each) => each.status === 'rejected');
    if (addresses.length === 0 && failure) throw failure.reason;
    return addresses;
  };

  const hopsOf = async (ways: readonly Way[], domain: string): Promise<readonly Hop[]> => {
    const tried = ways.slice(0, MAX_HOPS);
    const found = await Promise.all(tried.map(({ name }) => addressesOf(name, 'addresses').catch(() => [])));
    return tried.flatMap((way, i) => (found[i] ?? []).map((address) => hopOf(way, address, domain)));
  };

  /** Names that name servers do not know may be in the hosts file. Names without a dot are nowhere else. */
  const systemHops = async (way: Way): Promise<readonly Hop[]> =>
    (await addressesOf(way.name, 'system')).map((address) => hopOf(way, address, way.name));

  const namedHops = async (
    domain: string,
    transports: readonly [TransportName, ...TransportName[]],
    target: LocateTarget,
  ): Promise<readonly Hop[]> => {
    const plain: Way = { transport: transports[0], name: domain, port: target.port ?? defaultPortOf(transports[0]) };
    if (!domain.includes('.')) return systemHops(plain);
    // Name servers that do not answer say nothing of the hosts file.
    const services = target.port === null ? await serviceWays(domain, transports, target).catch(() => null) : null;
    const hops = await hopsOf(services ?? [plain], domain);
    return hops.length > 0 || services !== null ? hops : systemHops(plain);
  };

  const locateName = async (
    domain: string,
    transports: readonly [TransportName, ...TransportName[]],
    target: LocateTarget,
  ): Promise<readonly Hop[]> => {
    let cause: unknown;
    const hops = await namedHops(domain, transports, target).catch((error: unknown) => {
      cause = error;
      return [];
    });
    if (hops.length > 0) return hops.slice(0, MAX_HOPS);
    throw new Error(`The host name ${domain} has no address that can be reached from here.`, { cause });
  };

  return (target) => {
    const domain = bareHost(target.host);
    const [first, ...others] = transportsFor(target, reach.transports);
    if (first === undefined) {
      return Promise.reject(new Error(`No SIP transport is open here that ${domain} can be reached by.`));
    }
    if (isIP(domain) === 0) return locateName(domain, [first, ...others], target);
    return [hopOf({ transport: first, name: domain, port: target.port ?? defaultPortOf(first) }, domain, domain)];
  };
};

/** A certificate has to show the name that was asked for, not one that DNS led to (RFC 5922 7.1). */
const hopOf = ({ transport, port }: Way, address: string, domain: string): Hop => ({
  transport,
  address: canonicalAddress(address),
  port,
  tlsName: transport === 'tls' ? domain : null,
});
