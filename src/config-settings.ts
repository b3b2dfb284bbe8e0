export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

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
  setting('MEDIA_SOCKETS', 'auto', 'auto, sendmsg (no io_uring) or portable (RTP without the C library)'),
  setting('GRANT_TTL_SECONDS', '86400', 'how long an upload grant is valid'),
  setting('MAX_UPLOAD_BYTES', '67108864', 'largest file taken by an upload'),
  setting('MAX_CLIP_SECONDS', '600', 'longest clip taken by an upload'),
  setting('MAX_CONCURRENT_CALLS', '500', 'calls in progress at once'),
  setting('CALLS_PER_SECOND', '50', 'new calls a second'),
  setting('DESTINATION_SPACING_SECONDS', '1', 'between the starts of two calls to one destination; 0 for none'),
  setting('RING_TIMEOUT_SECONDS', '45', 'how long a phone may ring, counted from the INVITE'),
  setting('MAX_WAITING_CALLS', '1000000', 'calls accepted and not yet dialled, before 502'),
  setting('WEBHOOK_ALLOW', null, 'ranges that webhooks may reach though not public, such as 10.0.0.0/8,fd00::/8'),
  setting(
    'RECORD_DAYS',
    '90',
    'how long the records of finished blasts and their calls, and of ended grants, are kept',
  ),
  setting('SIP_TRACE_HOURS', '72', 'how long the SIP messages of calls are kept, secrets masked; 0 keeps none'),
  setting('SIP_TRACE_MAX_BYTES', '1073741824', 'octets of SIP messages kept in all; the oldest go'),
  setting('LOG_LEVEL', 'info', `one of ${LOG_LEVELS.join(', ')}`),
];
