import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { type Running, start } from '../../src/main.ts';

/** Every listener on loopback at any free port, and nothing but errors on the log. */
export const LOOPBACK = {
  RINGCAST_PUBLIC_LISTEN: '127.0.0.1:0',
  RINGCAST_OPERATOR_LISTEN: '127.0.0.1:0',
  RINGCAST_SIP_LISTEN: '127.0.0.1:0',
  RINGCAST_LOG_LEVEL: 'error',
} as const;

export interface TestServer extends Running {
  readonly dataDirectory: string;
  readonly api: Api;
  close(): Promise<void>;
}

/** The whole server in this process, in a data directory of its own, or in the one given; `close` removes it. */
export const startRingcast = async (
  environment: Record<string, string> = {},
  directory?: string,
): Promise<TestServer> => {
  const dataDirectory = directory ?? (await makeDirectory());
  const config = readConfig({ ...LOOPBACK, RINGCAST_DATA_DIR: dataDirectory, ...environment });
  const running = await start(config, createLog('error'));
  const close = async (): Promise<void> => {
    await running.stop(0);
    await rm(dataDirectory, { recursive: true, force: true });
  };
  return { ...running, dataDirectory, api: apiOf(running), close };
};

export const makeDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'ringcast-test-'));

export interface Endpoints {
  readonly publicUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
}

export type Api = ReturnType<typeof apiOf>;

/** The HTTP interfaces, as a client program sees them. */
export const apiOf = (server: Endpoints) => {
  const call = async (url: string, init: RequestInit): Promise<{ status: number; body: Json; headers: Headers }> => {
    const response = await fetch(url, init);
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers };
  };
  const json = (method: string, token: string, body?: unknown): RequestInit => ({
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    call(server.publicUrl + path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  return {
    operator: (method: string, path: string, body?: unknown) =>
      call(`${server.operatorUrl}/operator/v1${path}`, json(method, server.operatorToken, body)),
    application: (method: string, path: string, appKey: string, body?: unknown) =>
      call(`${server.publicUrl}/api/v1${path}`, json(method, appKey, body)),
    blast: (mediaIds: string, fields: Record<string, string>, headers?: Record<string, string>) =>
      form(`/api/rest/media/${mediaIds}`, { action: 'blast', ...fields }, headers),
    requestGrant: (mediaId: string, appKey: string) =>
      form(`/api/rest/media/${mediaId}`, { action: 'upload_grant', appkey: appKey }),
    upload: (uri: string, octets: Uint8Array<ArrayBuffer>) =>
      call(server.publicUrl + uri, { method: 'PUT', body: octets }),
  };
};

/** What an API answered: tests look into it as they please. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails on what is not there
export type Json = any;
