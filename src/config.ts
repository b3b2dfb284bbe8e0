import { isIP } from 'node:net';
import { join, resolve } from 'node:path';

/**
 * Configuration: the environment and flags of `serve`, read once into one frozen value.
 * A wrong value stops the start with one sentence that names variable, value and what is expected.
 */
export interface Config {
  readonly dataDirectory: string;
  readonly database: DatabaseAddress;
  readonly publicListen: ListenAddress;
  readonly operatorListen: ListenAddress;
  readonly publicUrl: URL | null;
  readonly operatorToken: string | null;
  readonly sipListen: ListenAddress;
  readonly sipTls: SipTlsFiles;
  readonly externalAddress: string | null;
  readonly rtpPorts: readonly [number, number];
  readonly mediaThreads: number;
  readonly mediaSockets: MediaSockets;
  readonly grantTtlSeconds: number;
  readonly maxUploadBytes: number;
  readonly maxClipSeconds: number;
  readonly maxConcurrentCalls: number;
  readonly callsPerSecond: number;
  readonly destinationSpacingSeconds: number;
  readonly ringTimeoutSeconds: number;
  readonly maxWaitingCalls: number;
  /** Addresses that webhooks may reach though they are not public. */
  readonly webhookAllow: readonly AddressRange[];
  readonly sipTrace: SipTraceLimits;
  readonly logLevel: LogLevel;
}

export interface AddressRange {
  readonly address: string;
  readonly prefixBits: number;
}

/** How much is kept of what calls said on the wire. */
export interface SipTraceLimits {
  /** 0: nothing is. */
  readonly hours: number;
  readonly maxBytes: number;
}

/** PEM files. */
export interface SipTlsFiles {
  readonly own: { readonly certificatePath: string; readonly keyPath: string } | null;
  readonly authoritiesPath: string | null;
}

/** A file of our own, or a database that several nodes may share; its URL may hold a password and is never shown. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

export interface ListenAddress {
  readonly address: string;
  readonly port: number;
}

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const MEDIA_SOCKETS = ['auto', 'portable'] as const;
/** `portable`: RTP through `node:dgram` even where the C library could be reached. */
export type MediaSockets = (typeof MEDIA_SOCKETS)[number];

/** A value that cannot be used; the start ends with exit status 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export interface Setting {
  readonly variable: string;
  readonly flag: string;
  readonly description: string;
  readonly default: string | null;
}

const setting = (name: string, fallback: string | null, description: string): Setting => ({
  variable: `RINGCAST_${name}`,
  flag: `--${name.toLowerCase().replaceAll('_', '-')}`,
  description,
  default: fallback,
});

/** Every variable, its flag of `serve`, and its default. */
export const SETTINGS: readonly Setting[] = [
  setting('DATA_DIR', './data', 'folder of the database, the secret and the operator token'),
  setting(
    'DATABASE_URL',
    null,
    'sqlite:PATH (default sqlite:<data>/ringcast.db) or postgres://USER:PASSWORD@HOST:PORT/DATABASE',
  ),
  setting('PUBLIC_LISTEN', '0.0.0.0:8080', 'ADDRESS:PORT of the media and application interface'),
  setting('OPERATOR_LISTEN', '127.0.0.1:8081', 'ADDRESS:PORT of the operator interface'),
  setting('PUBLIC_URL', null, 'URL under which clients reach the public listener, path prefix included'),
  setting('OPERATOR_TOKEN', null, 'token of the operator API (default: generated into <data>/operator-token)'),
  setting('SIP_LISTEN', '0.0.0.0:5060', 'ADDRESS:PORT for SIP over UDP and TCP; TLS is on the next port'),
  setting('SIP_TLS_CERT', null, 'PEM file of the certificate for SIP over TLS, its chain included'),
  setting('SIP_TLS_KEY', null, 'PEM file of its private key'),
  setting('SIP_TLS_CA', null, 'PEM file of the authorities to trust (default: those that Node knows)'),
  setting('EXTERNAL_ADDRESS', null, 'IP address to give to SIP peers, if not that of the machine'),
  setting('RTP_PORTS', '16384-32767', 'range FROM-TO of UDP ports for RTP'),
  setting('MEDIA_THREADS', '1', 'threads that send voice, each on a core of its own'),
  setting('MEDIA_SOCKETS', 'auto', 'auto or portable: portable sends RTP without the C library'),
  setting('GRANT_TTL_SECONDS', '86400', 'how long an upload grant is valid'),
  setting('MAX_UPLOAD_BYTES', '67108864', 'largest file taken by an upload'),
  setting('MAX_CLIP_SECONDS', '600', 'longest clip taken by an upload'),
  setting('MAX_CONCURRENT_CALLS', '500', 'calls in progress at once'),
  setting('CALLS_PER_SECOND', '50', 'new calls a second'),
  setting('DESTINATION_SPACING_SECONDS', '1', 'between the starts of two calls to one destination; 0 for none'),
  setting('RING_TIMEOUT_SECONDS', '45', 'how long a phone may ring, counted from the INVITE'),
  setting('MAX_WAITING_CALLS', '1000000', 'calls accepted and not yet dialled, before 502'),
  setting('WEBHOOK_ALLOW', null, 'ranges that webhooks may reach though not public, such as 10.0.0.0/8,fd00::/8'),
  setting('SIP_TRACE_HOURS', '72', 'how long the SIP messages of calls are kept, secrets masked; 0 keeps none'),
  setting('SIP_TRACE_MAX_BYTES', '1073741824', 'octets of SIP messages kept in all; the oldest go'),
  setting('LOG_LEVEL', 'info', `one of ${LOG_LEVELS.join(', ')}`),
];

const refuse = (variable: string, value: string, expected: string): never => {
  throw new ConfigError(`${variable} is "${value}": expected ${expected}.`);
};

type Read = (name: string) => string | null;

const reader =
  (environment: Readonly<Record<string, string | undefined>>): Read =>
  (name) => {
    const variable = `RINGCAST_${name}`;
    const value = environment[variable];
    if (value !== undefined && value.trim() !== '') return value.trim();
    return SETTINGS.find((known) => known.variable === variable)?.default ?? null;
  };

const wholeNumber = (read: Read, name: string, least: number, most: number): number => {
  const text = read(name) ?? '';
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && value >= least && value <= most) return value;
  return refuse(`RINGCAST_${name}`, text, `a whole number from ${least} to ${most}`);
};

const listen = (read: Read, name: string): ListenAddress => {
  const text = read(name) ?? '';
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? (plain === 'localhost' ? '127.0.0.1' : plain);
  const expected = 'ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080 (port 0 for any free one)';
  if (address === undefined || isIP(address) === 0 || Number(port) > 65535) {
    return refuse(`RINGCAST_${name}`, text, expected);
  }
  return { address, port: Number(port) };
};

const sipTls = (read: Read): SipTlsFiles => {
  const [certificate, key, authorities] = [read('SIP_TLS_CERT'), read('SIP_TLS_KEY'), read('SIP_TLS_CA')];
  if ((certificate === null) !== (key === null)) {
    throw new ConfigError('RINGCAST_SIP_TLS_CERT and RINGCAST_SIP_TLS_KEY belong together: set both, or neither.');
  }
  return {
    own: certificate && key ? { certificatePath: resolve(certificate), keyPath: resolve(key) } : null,
    authoritiesPath: authorities && resolve(authorities),
  };
};

const rtpPorts = (read: Read): readonly [number, number] => {
  const text = read('RTP_PORTS') ?? '';
  const [from, to] = (/^([0-9]{1,5})-([0-9]{1,5})$/.exec(text) ?? []).slice(1).map(Number);
  if (from !== undefined && to !== undefined && from >= 1024 && to <= 65535 && to > from) return [from, to];
  return refuse('RINGCAST_RTP_PORTS', text, 'a range FROM-TO within 1024-65535, such as 16384-32767');
};

const publicUrl = (read: Read): URL | null => {
  const text = read('PUBLIC_URL');
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password;
  return plain
    ? url
    : refuse(
        'RINGCAST_PUBLIC_URL',
        text,
        'an http or https URL without query, such as https://calls.example.org/ringcast',
      );
};

const database = (read: Read, dataDirectory: string): DatabaseAddress => {
  const text = read('DATABASE_URL');
  if (text === null) return { kind: 'sqlite', path: join(dataDirectory, 'ringcast.db') };
  const path = /^sqlite:(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: 'sqlite', path: resolve(path) };
  if (isPostgresUrl(text)) return { kind: 'postgres', url: text };
  // A PostgreSQL URL may hold a password: the value is not repeated.
  throw new ConfigError(
    'RINGCAST_DATABASE_URL cannot be used: expected sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE (special characters of the password as %XX).',
  );
};

const isPostgresUrl = (text: string): boolean => {
  const { protocol, hostname, pathname } = URL.canParse(text) ? new URL(text) : { protocol: '' };
  return /^postgres(ql)?:$/.test(protocol) && Boolean(hostname) && /^\/[^/]+$/.test(pathname ?? '');
};

const operatorToken = (read: Read): string | null => {
  const text = read('OPERATOR_TOKEN');
  if (text === null || /^[\x21-\x7e]{16,}$/.test(text)) return text;
  throw new ConfigError(
    'RINGCAST_OPERATOR_TOKEN cannot be used: expected at least 16 printable characters without spaces.',
  );
};

const externalAddress = (read: Read): string | null => {
  const text = read('EXTERNAL_ADDRESS');
  return text === null || isIP(text) !== 0 ? text : refuse('RINGCAST_EXTERNAL_ADDRESS', text, 'an IP address');
};

const mediaSockets = (read: Read): MediaSockets => {
  const text = read('MEDIA_SOCKETS') ?? '';
  const expected = `one of ${MEDIA_SOCKETS.join(', ')}`;
  return MEDIA_SOCKETS.find((kind) => kind === text) ?? refuse('RINGCAST_MEDIA_SOCKETS', text, expected);
};

const addressRanges = (read: Read, name: string): readonly AddressRange[] => {
  const text = read(name);
  return (text?.split(',') ?? []).map((range) => {
    const [, address = '', bits] = /^\s*([^\s/]+)\/([0-9]{1,3})\s*$/.exec(range) ?? [];
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    if (bits !== undefined && Number(bits) <= most) return { address, prefixBits: Number(bits) };
    return refuse(
      `RINGCAST_${name}`,
      text ?? '',
      'ranges ADDRESS/BITS with commas between, such as 10.0.0.0/8,fd00::/8',
    );
  });
};

const logLevel = (read: Read): LogLevel => {
  const text = read('LOG_LEVEL') ?? '';
  return (
    LOG_LEVELS.find((level) => level === text) ?? refuse('RINGCAST_LOG_LEVEL', text, `one of ${LOG_LEVELS.join(', ')}`)
  );
};

/** Reads and validates the whole configuration. Throws ConfigError. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const read = reader(environment);
  const dataDirectory = resolve(read('DATA_DIR') ?? './data');
  return Object.freeze({
    dataDirectory,
    database: database(read, dataDirectory),
    publicListen: listen(read, 'PUBLIC_LISTEN'),
    operatorListen: listen(read, 'OPERATOR_LISTEN'),
    publicUrl: publicUrl(read),
    operatorToken: operatorToken(read),
    sipListen: listen(read, 'SIP_LISTEN'),
    sipTls: sipTls(read),
    externalAddress: externalAddress(read),
    rtpPorts: rtpPorts(read),
    mediaThreads: wholeNumber(read, 'MEDIA_THREADS', 1, 64),
    mediaSockets: mediaSockets(read),
    grantTtlSeconds: wholeNumber(read, 'GRANT_TTL_SECONDS', 1, 31_536_000),
    maxUploadBytes: wholeNumber(read, 'MAX_UPLOAD_BYTES', 1, 4_294_967_296),
    maxClipSeconds: wholeNumber(read, 'MAX_CLIP_SECONDS', 1, 3600),
    maxConcurrentCalls: wholeNumber(read, 'MAX_CONCURRENT_CALLS', 1, 100_000),
    callsPerSecond: wholeNumber(read, 'CALLS_PER_SECOND', 1, 10_000),
    destinationSpacingSeconds: wholeNumber(read, 'DESTINATION_SPACING_SECONDS', 0, 3600),
    ringTimeoutSeconds: wholeNumber(read, 'RING_TIMEOUT_SECONDS', 1, 600),
    maxWaitingCalls: wholeNumber(read, 'MAX_WAITING_CALLS', 1, 100_000_000),
    webhookAllow: addressRanges(read, 'WEBHOOK_ALLOW'),
    sipTrace: {
      hours: wholeNumber(read, 'SIP_TRACE_HOURS', 0, 8760),
      maxBytes: wholeNumber(read, 'SIP_TRACE_MAX_BYTES', 1_048_576, 1_099_511_627_776),
    },
    logLevel: logLevel(read),
  });
};
