import { resolve } from 'node:path';
import type { LogLevel } from './config-settings.ts';
import {
  type AddressRange,
  addressRanges,
  type DatabaseAddress,
  database,
  externalAddress,
  type ListenAddress,
  listen,
  logLevel,
  type MediaSockets,
  mediaSockets,
  operatorToken,
  publicUrl,
  reader,
  rtpPorts,
  type SipTlsFiles,
  sipTls,
  wholeNumber,
} from './config-values.ts';

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
  /** How long records are kept of what is over. */
  readonly recordDays: number;
  readonly sipTrace: SipTraceLimits;
  readonly logLevel: LogLevel;
}

/** How much is kept of what calls said on the wire. */
export interface SipTraceLimits {
  /** 0: nothing is. */
  readonly hours: number;
  readonly maxBytes: number;
}

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
    recordDays: wholeNumber(read, 'RECORD_DAYS', 1, 3650),
    sipTrace: {
      hours: wholeNumber(read, 'SIP_TRACE_HOURS', 0, 8760),
      maxBytes: wholeNumber(read, 'SIP_TRACE_MAX_BYTES', 1_048_576, 1_099_511_627_776),
    },
    logLevel: logLevel(read),
  });
};
