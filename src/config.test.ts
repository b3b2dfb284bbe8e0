import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { SETTINGS } from './config-settings.ts';
import { ConfigError } from './config-values.ts';

describe('configuration', () => {
  it('has the documented defaults', () => {
    expect(readConfig({})).toMatchObject({
      publicListen: { address: '0.0.0.0', port: 8080 },
      operatorListen: { address: '127.0.0.1', port: 8081 },
      sipListen: { address: '0.0.0.0', port: 5060 },
      rtpPorts: [16384, 32767],
      mediaThreads: 1,
      mediaSockets: 'auto',
      grantTtlSeconds: 86_400,
      maxUploadBytes: 64 * 1024 * 1024,
      maxClipSeconds: 600,
      ringTimeoutSeconds: 45,
      publicUrl: null,
    });
  });

  it('keeps the database in the data directory unless told otherwise', () => {
    const sqlite = (path: string) => ({ kind: 'sqlite', path });
    expect(readConfig({ RINGCAST_DATA_DIR: '/srv/r' }).database).toEqual(sqlite('/srv/r/ringcast.db'));
    expect(readConfig({ RINGCAST_DATABASE_URL: 'sqlite:/srv/x.db' }).database).toEqual(sqlite('/srv/x.db'));
  });

  it('reads addresses, port 0 and IPv6 in brackets', () => {
    expect(readConfig({ RINGCAST_PUBLIC_LISTEN: '[::1]:0' }).publicListen).toEqual({ address: '::1', port: 0 });
    expect(readConfig({ RINGCAST_PUBLIC_LISTEN: 'localhost:1' }).publicListen).toEqual({
      address: '127.0.0.1',
      port: 1,
    });
  });

  it('takes a blank variable as unset', () => {
    expect(readConfig({ RINGCAST_CALLS_PER_SECOND: ' ' }).callsPerSecond).toBe(50);
  });

  it.each([
    ['PUBLIC_LISTEN', '8080'],
    ['PUBLIC_LISTEN', 'example.org:80'],
    ['OPERATOR_LISTEN', '127.0.0.1:65536'],
    ['SIP_LISTEN', '::1:5060'],
    ['PUBLIC_URL', 'ftp://x'],
    ['PUBLIC_URL', 'https://user:pw@x/'],
    ['EXTERNAL_ADDRESS', 'me.example'],
    ['RTP_PORTS', '2000-1000'],
    ['RTP_PORTS', '1-70000'],
    ['MEDIA_THREADS', '0'],
    ['MEDIA_SOCKETS', 'raw'],
    ['GRANT_TTL_SECONDS', '0'],
    ['MAX_CLIP_SECONDS', '1e3'],
    ['MAX_UPLOAD_BYTES', '-1'],
    ['CALLS_PER_SECOND', 'many'],
    ['RING_TIMEOUT_SECONDS', '4.5'],
    ['LOG_LEVEL', 'loud'],
    ['WEBHOOK_ALLOW', '10.0.0.0'],
    ['WEBHOOK_ALLOW', '10.0.0.0/33'],
    ['WEBHOOK_ALLOW', '10.0.0.0/8,inside/8'],
  ])('refuses %s=%s naming variable and value', (name, value) => {
    const reading = () => readConfig({ [`RINGCAST_${name}`]: value });
    expect(reading).toThrow(ConfigError);
    expect(reading).toThrow(new RegExp(`^RINGCAST_${name} is "${value.replace(/[[\]]/g, '\\$&')}": expected .+\\.$`));
  });

  it('takes a PostgreSQL database, by both names of the scheme', () => {
    for (const url of ['postgres://u:p@h:5433/d', 'postgresql://h/d?sslmode=require'])
      expect(readConfig({ RINGCAST_DATABASE_URL: url }).database).toEqual({ kind: 'postgres', url });
  });

  it.each(['mysql://u:hunter2@h/d', 'postgres://u:hunter2@h', 'postgres://u:hunter2/d@h', 'sqlite:', 'hunter2'])(
    'refuses %s as a database, naming what is expected',
    (url) => {
      expect(() => readConfig({ RINGCAST_DATABASE_URL: url })).toThrow(
        /^(?!.*hunter2)RINGCAST_DATABASE_URL .*postgres:/,
      );
    },
  );

  it('never repeats a secret', () => {
    const secrets = { RINGCAST_OPERATOR_TOKEN: 'short pw', RINGCAST_DATABASE_URL: 'postgres://u:hunter2@h' };
    for (const [variable, value] of Object.entries(secrets)) {
      expect(() => readConfig({ [variable]: value })).toThrow(new RegExp(`^(?!.*(short pw|hunter2)).*${variable}`));
    }
  });

  it('takes IPv6 for SIP and as the external address', () => {
    const config = readConfig({ RINGCAST_SIP_LISTEN: '[::]:5060', RINGCAST_EXTERNAL_ADDRESS: '2001:db8::1' });
    expect([config.sipListen, config.externalAddress]).toEqual([{ address: '::', port: 5060 }, '2001:db8::1']);
  });

  it('takes certificate and key for SIP over TLS together or not at all', () => {
    const own = { RINGCAST_SIP_TLS_CERT: '/c.pem', RINGCAST_SIP_TLS_KEY: '/k.pem' };
    expect(readConfig(own).sipTls).toEqual({
      own: { certificatePath: '/c.pem', keyPath: '/k.pem' },
      authoritiesPath: null,
    });
    expect(readConfig({ RINGCAST_SIP_TLS_CA: '/a.pem' }).sipTls).toEqual({ own: null, authoritiesPath: '/a.pem' });
    for (const [variable, value] of Object.entries(own)) {
      expect(() => readConfig({ [variable]: value })).toThrow(/^RINGCAST_SIP_TLS_CERT and RINGCAST_SIP_TLS_KEY belong/);
    }
  });

  it('names a flag for every variable', () => {
    for (const { variable, flag } of SETTINGS) {
      expect(flag).toBe(`--${variable.slice('RINGCAST_'.length).toLowerCase().replaceAll('_', '-')}`);
    }
  });
});
