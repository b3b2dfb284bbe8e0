import type { Dns } from '../../src/telephony/dns.ts';

/** Name servers that know these A records, and SRV records by `srv` if it is given. */
export const zoneOf = (zone: Readonly<Record<string, readonly string[]>>, srv: Dns['srv'] = async () => []): Dns => ({
  naptr: async () => [],
  srv,
  addresses: async (name) => zone[name] ?? [],
  system: async () => [],
});
