import { CODECS, type Codec } from '../domain/codec.ts';
import type { RouteHealth } from '../domain/ports.ts';
import type { NewTrunk, Store, Transaction } from '../domain/store-port.ts';
import { SRTP_POLICIES, TRUNK_TRANSPORTS, type Trunk } from '../domain/trunk.ts';
import { checkedCallerId, checkedDistinct, checkedId, invalidField, notFound, refuseOtherId } from './fields.ts';
import { isHost } from './host.ts';

/** A trunk as the operator writes it. */
export interface TrunkInput {
  readonly id?: string | null;
  readonly host: string;
  readonly port?: number | null;
  readonly transport?: string | null;
  readonly username?: string | null;
  readonly password?: string | null;
  readonly callerId?: string | null;
  readonly allowedPrefixes: readonly string[];
  readonly maxConcurrentCalls?: number | null;
  readonly callsPerSecond?: number | null;
  readonly codecs?: readonly string[] | null;
  readonly register?: boolean | null;
  readonly srtp?: string | null;
  readonly comedia?: boolean | null;
  readonly healthCheck?: string | null;
}

export interface ProvisionTrunks {
  /** Throws `invalid_field` and `duplicate_id`. */
  create(input: TrunkInput): Promise<Trunk>;
  /** Throws `not_found` too. A password that is left out stays as it is; null takes it away. */
  replace(id: string, input: TrunkInput): Promise<Trunk>;
  /** Throws `not_found` and `in_use`. */
  remove(id: string): Promise<void>;
}

const MAX_CALLS = 100_000;

/** Trunks, checked strictly: what they hold goes into SIP messages. New ones are probed at once. */
export const createProvisionTrunks = (store: Store, routeHealth: Pick<RouteHealth, 'refresh'>): ProvisionTrunks => ({
  async create(input) {
    const trunk = checked(input, checkedId(input.id));
    const created = await store.transact(async (tx) => existing(tx, await tx.createTrunk(trunk)));
    routeHealth.refresh();
    return created;
  },
  async replace(id, input) {
    refuseOtherId(input.id, id);
    const trunk = checked(input, id);
    const replaced = await store.transact(async (tx) => {
      if (!(await tx.replaceTrunk(id, trunk))) throw notFound('trunk');
      return existing(tx, id);
    });
    routeHealth.refresh(id);
    return replaced;
  },
  async remove(id) {
    await store.transact(async (tx) => {
      if (!(await tx.deleteTrunk(id))) throw notFound('trunk');
    });
    routeHealth.refresh(id);
  },
});

const existing = async (tx: Transaction, id: string): Promise<Trunk> => {
  const trunk = await tx.findTrunk(id);
  if (!trunk) throw notFound('trunk');
  return trunk;
};

const checked = (input: TrunkInput, id: string | null): NewTrunk => {
  const transport = checkedTransport(input.transport);
  return {
    id,
    host: checkedHost(input.host),
    port: checkedNumber('port', input.port, 65_535),
    transport,
    username: checkedUsername(input.username),
    ...(input.password === undefined ? {} : { password: checkedPassword(input.password) }),
    callerId: checkedCallerId(input.callerId),
    allowedPrefixes: checkedPrefixes(input.allowedPrefixes),
    maxConcurrentCalls: checkedNumber('maxConcurrentCalls', input.maxConcurrentCalls, MAX_CALLS),
    callsPerSecond: checkedNumber('callsPerSecond', input.callsPerSecond, MAX_CALLS),
    codecs: checkedCodecs(input.codecs),
    register: checkedRegister(input),
    srtp: checkedSrtp(input.srtp),
    comedia: input.comedia ?? false,
    healthCheck: checkedHealthCheck(input.healthCheck),
  };
};

/** The address of record that is registered is the user's. */
const checkedRegister = ({ register, username }: TrunkInput): boolean => {
  if (register === true && username == null) {
    throw invalidField('register', 'register needs a username: it is what is registered with the trunk.');
  }
  return register === true;
};

const checkedTransport = (transport: string | null | undefined): Trunk['transport'] => {
  const known = TRUNK_TRANSPORTS.find((name) => name === (transport ?? 'udp'));
  if (known !== undefined) return known;
  throw invalidField('transport', 'transport must be "udp", "tcp" or "tls".');
};

const checkedHost = (host: string): string => {
  if (isHost(host)) return host;
  throw invalidField('host', 'host must be a host name or an IP address, without port, scheme or brackets.');
};

const checkedNumber = (field: string, value: number | null | undefined, most: number): number | null => {
  if (value == null) return null;
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw invalidField(field, `${field} must be a whole number from 1 to ${most}.`);
};

const checkedUsername = (username: string | null | undefined): string | null => {
  if (username == null) return null;
  // RFC 3261 25.1: `user` without escapes; it is written between quotes in a digest.
  if (/^[A-Za-z0-9\-_.!~*'()&=+$,;?/@]{1,128}$/.test(username)) return username;
  throw invalidField(
    'username',
    "username must be 1 to 128 characters of A-Z a-z 0-9 - _ . ! ~ * ' ( ) & = + $ , ; ? / @ and no others.",
  );
};

const checkedPassword = (password: string | null): string | null => {
  if (password === null) return null;
  if (password.length <= 255 && !/\p{Cc}/u.test(password) && password.isWellFormed()) return password;
  throw invalidField('password', 'password must be at most 255 characters without control characters.');
};

const checkedPrefixes = (prefixes: readonly string[]): readonly string[] => {
  if (prefixes.length <= 1000 && prefixes.every((prefix) => /^\+[0-9]{0,15}$/.test(prefix))) {
    return checkedDistinct('allowedPrefixes', prefixes);
  }
  throw invalidField('allowedPrefixes', 'allowedPrefixes must be at most 1000 of "+" (all numbers) or "+" and digits.');
};

const checkedCodecs = (codecs: readonly string[] | null | undefined): readonly Codec[] => {
  if (codecs == null) return CODECS;
  const known = codecs.map((name) => CODECS.find((codec) => codec === name));
  if (codecs.length > 0 && known.every((codec) => codec !== undefined)) {
    checkedDistinct('codecs', codecs);
    return known;
  }
  throw invalidField('codecs', `codecs must name at least one of ${CODECS.join(', ')} and no others.`);
};

const checkedSrtp = (srtp: string | null | undefined): Trunk['srtp'] => {
  const known = SRTP_POLICIES.find((policy) => policy === (srtp ?? 'off'));
  if (known !== undefined) return known;
  throw invalidField('srtp', 'srtp must be "off", "preferred" or "required".');
};

const checkedHealthCheck = (healthCheck: string | null | undefined): Trunk['healthCheck'] => {
  if (healthCheck == null || healthCheck === 'options') return 'options';
  if (healthCheck === 'none') return 'none';
  throw invalidField('healthCheck', 'healthCheck must be "options" or "none".');
};
