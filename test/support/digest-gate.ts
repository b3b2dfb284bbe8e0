import { createHash } from 'node:crypto';
import type { CallTrunk } from '../../src/domain/call.ts';
import { findHeader, type SipRequest } from '../../src/sip/message.ts';
import type { Refusal } from './peer-script.ts';
import { PEER } from './telephony-bench.ts';

export const CREDENTIALS = { username: 'ringcast', password: 'correct horse' };
export const TRUNK: CallTrunk = {
  id: 't1',
  host: PEER.address,
  port: PEER.port,
  transport: 'udp',
  credentials: CREDENTIALS,
};

const HASHES: Readonly<Record<string, string>> = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' };

/** Parameters of a Digest value, read in a way of its own. */
export const readDigest = (value: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...value.matchAll(/([a-z]+)=(?:"([^"]*)"|([^ ,]+))/g)].map(([, name, quoted, plain]) => [name, quoted ?? plain]),
  );

/** Whether a request carries the right response to a nonce, computed apart from what is tested. */
const isRight = (request: SipRequest, value: string, password: string): boolean => {
  const given = readDigest(value);
  const hash = (text: string): string =>
    createHash(HASHES[given.algorithm ?? 'MD5'] ?? '')
      .update(text)
      .digest('hex');
  const secret = hash(`${CREDENTIALS.username}:${given.realm}:${password}`);
  const wanted = hash(
    `${secret}:${given.nonce}:${given.nc}:${given.cnonce}:auth:${hash(`${request.method}:${given.uri}`)}`,
  );
  return given.response === wanted && given.username === CREDENTIALS.username;
};

export interface DigestGate {
  (request: SipRequest): Refusal | null;
  /** Makes the present nonce too old. */
  renew(): void;
  readonly nonceCounts: readonly string[];
}

/** A server that asks for digest, takes each nonce count once, and tells when only the nonce was wrong. */
export const createDigestGate = (
  options: {
    readonly status?: 401 | 407;
    readonly password?: string;
    readonly algorithms?: readonly string[];
    readonly methods?: readonly string[];
    readonly realm?: string;
  } = {},
): DigestGate => {
  const { status = 401, password = CREDENTIALS.password, algorithms = ['MD5'], methods = ['INVITE', 'BYE'] } = options;
  const [asking, answering] =
    status === 401 ? ['WWW-Authenticate', 'Authorization'] : ['Proxy-Authenticate', 'Proxy-Authorization'];
  const nonceCounts: string[] = [];
  let generation = 1;

  const challenge = (isStale: boolean): Refusal => ({
    status,
    headers: algorithms.map((algorithm) => ({
      name: asking as string,
      value: `Digest realm="${options.realm ?? 'a, b'}", qop="auth,auth-int", nonce="n${generation}", opaque="o,${generation}", algorithm=${algorithm}${isStale ? ', stale=true' : ''}`,
    })),
  });

  const gate = (request: SipRequest): Refusal | null => {
    if (!methods.includes(request.method)) return null;
    const value = findHeader(request, answering as string);
    if (value === null || !isRight(request, value, password)) return challenge(false);
    const { nonce, nc = '', opaque } = readDigest(value);
    const use = `${nonce} ${nc}`;
    if (nonce !== `n${generation}` || opaque !== `o,${generation}` || nonceCounts.includes(use)) {
      generation += 1;
      return challenge(true);
    }
    nonceCounts.push(use);
    return null;
  };
  const renew = (): void => {
    generation += 1;
  };
  return Object.assign(gate, { renew, nonceCounts });
};
