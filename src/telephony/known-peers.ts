/** The addresses we have spoken to, the `limit` latest: whoever is not among them is a stranger and gets silence. */
export interface KnownPeers {
  add(address: string): void;
  has(address: string): boolean;
}

export const createKnownPeers = (limit: number): KnownPeers => {
  const addresses = new Set<string>();
  return {
    add: (address) => {
      addresses.delete(address);
      addresses.add(address);
      if (addresses.size <= limit) return;
      const [oldest] = addresses;
      if (oldest !== undefined) addresses.delete(oldest);
    },
    has: (address) => addresses.has(address),
  };
};
