import { type HostPort, isHost, parseHostPort } from './grammar.ts';
import { findParam, type Params, parseParams, serializeParams, setParam } from './params.ts';
import { bareHost } from './uri.ts';

/** One hop of a Via (RFC 3261 20.42). */
export interface Via {
  /** Upper case: `UDP`. */
  readonly transport: string;
  readonly host: string;
  readonly port: number | null;
  readonly params: Params;
}

export interface Address {
  readonly address: string;
  readonly port: number;
}

export const BRANCH_COOKIE = 'z9hG4bK';
export const DEFAULT_SIP_PORT = 5060;

const PROTOCOL = /^SIP[ \t]*\/[ \t]*2\.0[ \t]*\/[ \t]*([A-Za-z0-9\-.!%*_+`'~]+)[ \t]+/i;

/** White space around the colon of `host:port` is allowed here (RFC 3261 25.1, COLON), and not in a URI. */
const parseSentBy = (text: string): HostPort | null => {
  const colon = text.lastIndexOf(':');
  if (colon < 0 || !/[ \t]/.test(text)) return parseHostPort(text);
  return parseHostPort(`${text.slice(0, colon).trimEnd()}:${text.slice(colon + 1).trimStart()}`);
};

/** Reads one Via value, or returns null. */
export const parseVia = (source: string): Via | null => {
  const text = source.trim();
  const match = PROTOCOL.exec(text);
  if (!match) return null;
  const semicolon = text.indexOf(';', match[0].length);
  const sentBy = parseSentBy(text.slice(match[0].length, semicolon < 0 ? text.length : semicolon).trim());
  const params = parseParams(semicolon < 0 ? '' : text.slice(semicolon));
  if (!sentBy || !params) return null;
  return { transport: (match[1] as string).toUpperCase(), host: sentBy.host, port: sentBy.port, params };
};

export const serializeVia = (via: Via): string => {
  const transport = via.transport.replace(/[^A-Za-z0-9\-.!%*_+`'~]/g, '-');
  const host = isHost(via.host) ? via.host : 'invalid.invalid';
  return `SIP/2.0/${transport} ${host}${via.port === null ? '' : `:${via.port}`}${serializeParams(via.params)}`;
};

/** The Via of a request of ours. It asks for `rport` (RFC 3581), so that answers find their way back through a NAT. */
export const udpVia = (host: string, port: number, branch: string): Via => ({
  transport: 'UDP',
  host,
  port,
  params: [
    ['branch', branch],
    ['rport', null],
  ],
});

export const branchOf = (via: Via): string | null => findParam(via.params, 'branch') ?? null;

export const withBranch = (via: Via, branch: string): Via => ({
  ...via,
  params: setParam(via.params, 'branch', branch),
});

/** Notes on a Via where the request really came from (RFC 3261 18.2.1, RFC 3581 4). */
export const stampVia = (via: Via, from: Address): Via => {
  const asksRport = via.params.some(([name]) => name === 'rport');
  const params = asksRport ? setParam(via.params, 'rport', String(from.port)) : via.params;
  const differs = bareHost(via.host) !== from.address;
  return { ...via, params: differs || asksRport ? setParam(params, 'received', from.address) : params };
};

/**
 * Where the answer to a request from `from` goes over UDP: the source address, and its port if the peer asked for it by
 * `rport`, else the port it stated (RFC 3261 18.2.2, RFC 3581 4). `maddr` is ignored: it would let strangers aim answers.
 */
export const answerAddress = (via: Via, from: Address): Address => ({
  address: from.address,
  port: via.params.some(([name]) => name === 'rport') ? from.port : (via.port ?? DEFAULT_SIP_PORT),
});
