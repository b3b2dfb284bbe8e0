import type { Codec } from './codec.ts';

/** Whether voice is encrypted: never, if the peer can, or not sent otherwise. */
export const SRTP_POLICIES = ['off', 'preferred', 'required'] as const;
export const TRUNK_TRANSPORTS = ['udp', 'tcp', 'tls'] as const;

/** A SIP peer that carries calls. */
export interface Trunk {
  readonly id: string;
  readonly host: string;
  /** Null: DNS says it (RFC 3263). */
  readonly port: number | null;
  readonly transport: (typeof TRUNK_TRANSPORTS)[number];
  readonly username: string | null;
  readonly hasPassword: boolean;
  readonly callerId: string | null;
  /** Which E.164 numbers may be dialled; `+` allows all. */
  readonly allowedPrefixes: readonly string[];
  readonly maxConcurrentCalls: number | null;
  readonly callsPerSecond: number | null;
  readonly codecs: readonly Codec[];
  /** Whether it has to be told where we are (RFC 3261 10). */
  readonly register: boolean;
  readonly srtp: (typeof SRTP_POLICIES)[number];
  /** Whether voice is sent to where the trunk's own comes from, whatever its SDP says. */
  readonly comedia: boolean;
  readonly healthCheck: 'options' | 'none';
  readonly createdAt: number;
}

/** What a trunk is shown when it asks who calls. Never to be logged or written into an error. */
export interface TrunkCredentials {
  readonly username: string;
  readonly password: string;
}

export type TrunkState = 'up' | 'down' | 'unknown';

/** Where our registration at a trunk stands (RFC 3261 10). */
export interface TrunkRegistration {
  readonly state: 'registering' | 'registered' | 'failed';
  /** When the registration that the trunk last granted ends, by the wall clock; null if there is none. */
  readonly expiresAt: number | null;
  /** Why the last try failed, in words; null if it did not. */
  readonly reason: string | null;
}

/** How many calls a trunk may get: any number, one that tries whether its password is right, or none for now. */
export type Admission = 'open' | 'trial' | 'held';

/** Whether the trunk is allowed to carry a call to `number` (E.164 with its plus sign). */
export const allowsNumber = (trunk: Pick<Trunk, 'allowedPrefixes'>, number: string): boolean =>
  trunk.allowedPrefixes.some((prefix) => number.startsWith(prefix));

/** What is to be told of a trunk whose SRTP keys can be read on their way (RFC 4568 8.3); null if they cannot. */
export const readableKeys = ({ srtp, transport }: Pick<Trunk, 'srtp' | 'transport'>): string | null =>
  srtp === 'off' || transport === 'tls'
    ? null
    : 'The keys of SRTP lie in the SIP messages, and those can be read on the way: set transport to "tls".';
