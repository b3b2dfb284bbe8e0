import type { TransportName } from './hop.ts';
import { findParam } from './params.ts';
import type { SipUri } from './uri.ts';

/** What a URI or a trunk says of where it is. */
export interface LocateTarget {
  /** A name or an IP address, the brackets of IPv6 allowed. */
  readonly host: string;
  readonly port: number | null;
  readonly transport?: TransportName | null;
  /** Of a `sips:` URI: TLS or nothing. */
  readonly isSecure?: boolean;
}

/** What a SIP URI says of where it is. */
export const targetOfUri = ({ scheme, host, port, params }: SipUri): LocateTarget => {
  const stated = findParam(params, 'transport')?.toLowerCase();
  const transport = TRANSPORTS.find((known) => known === stated) ?? null;
  return { host, port, transport, isSecure: scheme === 'sips' };
};

/** RFC 2782. */
export interface SrvRecord {
  /** The target; empty if the service is decidedly not there. */
  readonly name: string;
  readonly port: number;
  readonly priority: number;
  readonly weight: number;
}

/** RFC 3403. */
export interface NaptrRecord {
  readonly flags: string;
  readonly service: string;
  readonly replacement: string;
  readonly order: number;
  readonly preference: number;
}

const SERVICES: Readonly<Record<TransportName, { readonly naptr: string; readonly srv: string }>> = {
  udp: { naptr: 'SIP+D2U', srv: '_sip._udp' },
  tcp: { naptr: 'SIP+D2T', srv: '_sip._tcp' },
  tls: { naptr: 'SIPS+D2T', srv: '_sips._tcp' },
};

/** UDP before the others where nothing else decides (RFC 3263 4.1). */
const TRANSPORTS: readonly TransportName[] = ['udp', 'tcp', 'tls'];

export const srvNameOf = (transport: TransportName, domain: string): string => `${SERVICES[transport].srv}.${domain}`;

/**
 * The transports that a target may be reached by, the preferred first (RFC 3263 4.1). A stated port without a
 * transport means UDP, or TLS for `sips:`. Empty if we have none of them.
 */
export const transportsFor = (target: LocateTarget, ours: readonly TransportName[]): readonly TransportName[] => {
  const { transport, isSecure = false, port } = target;
  const isWanted = (candidate: TransportName): boolean => {
    if (isSecure) return candidate === 'tls' && transport !== 'udp';
    return transport ? candidate === transport : port === null || candidate === 'udp';
  };
  return TRANSPORTS.filter((candidate) => isWanted(candidate) && ours.includes(candidate));
};

/** A NAPTR record that leads on: the transport it stands for and the name to ask for SRV. */
export interface NaptrChoice {
  readonly transport: TransportName;
  readonly srvName: string;
}

/** The records that offer one of `transports` by SRV, by order, then preference (RFC 3263 4.1, RFC 3403 4.1). */
export const chooseNaptr = (
  records: readonly NaptrRecord[],
  transports: readonly TransportName[],
): readonly NaptrChoice[] =>
  [...records]
    .sort((a, b) => a.order - b.order || a.preference - b.preference)
    .flatMap(({ flags, service, replacement }) => {
      const transport = transports.find((candidate) => SERVICES[candidate].naptr === service.toUpperCase());
      return transport && flags.toLowerCase() === 's' && replacement !== ''
        ? [{ transport, srvName: replacement }]
        : [];
    });

/** Draws one of records of equal priority, in proportion to their weights (RFC 2782): index into `records`. */
const drawn = (records: readonly SrvRecord[], fraction: number): number => {
  const total = records.reduce((sum, { weight }) => sum + weight, 0);
  // A draw of 0 to total, both included, so that weight 0 keeps its very small chance.
  const draw = Math.floor(fraction * (total + 1));
  let running = 0;
  return records.findIndex(({ weight }) => {
    running += weight;
    return running >= draw;
  });
};

/**
 * SRV records in the order in which they are to be tried: the lowest priority number first, and among equals a draw by
 * weight (RFC 2782). `random` gives fractions of 0 to below 1.
 */
export const srvInOrder = (records: readonly SrvRecord[], random: () => number): readonly SrvRecord[] => {
  // Those of weight 0 first, as RFC 2782 asks for the draw.
  const waiting = [...records].sort((a, b) => a.priority - b.priority || Number(a.weight > 0) - Number(b.weight > 0));
  const ordered: SrvRecord[] = [];
  while (waiting.length > 0) {
    const equals = waiting.filter(({ priority }) => priority === waiting[0]?.priority);
    ordered.push(...waiting.splice(drawn(equals, random()), 1));
  }
  return ordered;
};
