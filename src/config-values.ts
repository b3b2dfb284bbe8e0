import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { LOG_LEVELS, type LogLevel, SETTINGS } from './config-settings.ts';

export interface AddressRange {
  readonly address: string;
  readonly prefixBits: number;
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

const MEDIA_SOCKETS = ['auto', 'sendmsg', 'portable'] as const;
/** `portable`: RTP through `node:dgram` even where the C library could be reached. */
export type MediaSockets = (typeof MEDIA_SOCKETS)[number];

/** A value that cannot be used; the start ends with exit status 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const refuse = (variable: string, value: string, expected: string): never => {
  throw new ConfigError(`${variable} is "${value}": expected ${expected}.`);
};

/** Reads a setting by its name without RINGCAST_: what is set, else its default, else null. */
export type Read = (name: string) => string | null;

export const reader =
  (environment: Readonly<Record<string, string | undefined>>): Read =>
  (name) => {
    const variable = `RINGCAST_${name}`;
    const value = environment[variable];
    if (value !== undefined && value.trim() !== '') return value.trim();
    return SETTINGS.find((known) => known.variable === variable)?.default ?? null;
  };

export const wholeNumber = (read: Read, name: string, least: number, most: number): number => {
  const text = read(name) ?? '';
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && value >= least && value <= most) return value;
  return refuse(`RINGCAST_${name}`, text, `a whole number from ${least} to ${most}`);
};

export const listen = (read: Read, name: string): ListenAddress => {
  const text = read(name) ?? '';
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? (plain === 'localhost' ? '127.0.0.1' : plain);
  const expected = 'ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080 (port 0 for any free one)';
  if (address === undefined || isIP(address) === 0 || Number(port) > 65535) {
    return refuse(`RINGCAST_${name}`, text, expected);
  }
  return { address, port: Number(port) };
};

export const sipTls = (read: Read): SipTlsFiles => {
  const [certificate, key, authorities] = [read('SIP_TLS_CERT'), read('SIP_TLS_KEY'), read('SIP_TLS_CA')];
  if ((certificate === null) !== (key === null)) {
    throw new ConfigError('RINGCAST_SIP_TLS_CERT and RINGCAST_SIP_TLS_KEY belong together: set both, or neither.');
  }
  return {
    own: certificate && key ? { certificatePath: resolve(certificate), keyPath: resolve(key) } : null,
    authoritiesPath: authorities && resolve(authorities),
  };
};

export const rtpPorts = (read: Read): readonly [number, number] => {
  const text = read('RTP_PORTS') ?? '';
  const [from, to] = (/^([0-9]{1,5})-([0-9]{1,5})$/.exec(text) ?? []).slice(1).map(Number);
  if (from !== undefined && to !== undefined && from >= 1024 && to <= 65535 && to > from) return [from, to];
  return refuse('RINGCAST_RTP_PORTS', text, 'a range FROM-TO within 1024-65535, such as 16384-32767');
};

export const publicUrl = (read: Read): URL | null => {
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

export const database = (read: Read, dataDirectory: string): DatabaseAddress => {
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

export const operatorToken = (read: Read): string | null => {
  const text = read('OPERATOR_TOKEN');
  if (text === null || /^[\x21-\x7e]{16,}$/.test(text)) return text;
  throw new ConfigError(
    'RINGCAST_OPERATOR_TOKEN cannot be used: expected at least 16 printable characters without spaces.',
  );
};

export const externalAddress = (read: Read): string | null => {
  const text = read('EXTERNAL_ADDRESS');
  return text === null || isIP(text) !== 0 ? text : refuse('RINGCAST_EXTERNAL_ADDRESS', text, 'an IP address');
};

export const mediaSockets = (read: Read): MediaSockets => {
  const text = read('MEDIA_SOCKETS') ?? '';
  const expected = `one of ${MEDIA_SOCKETS.join(', ')}`;
  return MEDIA_SOCKETS.find((kind) => kind === text) ?? refuse('RINGCAST_MEDIA_SOCKETS', text, expected);
};

export const addressRanges = (read: Read, name: string): readonly AddressRange[] => {
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

export const logLevel = (read: Read): LogLevel => {
  const text = read('LOG_LEVEL') ?? '';
  return (
    LOG_LEVELS.find((level) => level === text) ?? refuse('RINGCAST_LOG_LEVEL', text, `one of ${LOG_LEVELS.join(', ')}`)
  );
};
