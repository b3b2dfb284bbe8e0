import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from '../support/child.ts';
import type { BenchDatabase } from './database.ts';
import { openSilentPeer } from './silent-peer.ts';

const root = join(import.meta.dirname, '..', '..');

/** The real server, ready to accept blasts that nobody will answer. */
export interface RingcastTarget {
  readonly url: string;
  readonly form: string;
  /** kill -9, then how many blasts the database holds. */
  killAndCount(): Promise<number>;
  /** Leaves no process behind. */
  clear(): Promise<void>;
}

const SETTINGS = {
  RINGCAST_PUBLIC_LISTEN: '127.0.0.1:0',
  RINGCAST_OPERATOR_LISTEN: '127.0.0.1:0',
  RINGCAST_SIP_LISTEN: '127.0.0.1:0',
  RINGCAST_CALLS_PER_SECOND: '1',
  RINGCAST_MAX_CONCURRENT_CALLS: '1',
  RINGCAST_MAX_WAITING_CALLS: '100000000',
  RINGCAST_LOG_LEVEL: 'error',
};

export const startRingcast = async (database: BenchDatabase): Promise<RingcastTarget> => {
  const peer = await openSilentPeer();
  const environment = { ...SETTINGS, ...database.settings, RINGCAST_DATA_DIR: database.directory };
  const server = await startChild(join(root, 'src', 'ringcast.ts'), ['serve'], environment);
  const { public: publicUrl, operator } = server.ready as { public: string; operator: string };
  const token = (await readFile(join(database.directory, 'operator-token'), 'utf8')).trim();
  const { mediaId, form } = await provision(`${operator}/operator/v1`, token, peer.uri);
  return {
    url: `${publicUrl}/api/rest/media/${mediaId}`,
    form,
    killAndCount: async () => {
      await server.kill();
      return database.countBlasts();
    },
    clear: async () => {
      await server.kill();
      peer.close();
    },
  };
};

/** An application with a key, a network that leads to the peer, and a media id that holds a clip. */
const provision = async (api: string, token: string, destination: string) => {
  const send = async (method: string, path: string, body: object | Uint8Array<ArrayBuffer>) => {
    const isFile = body instanceof Uint8Array;
    const headers = { authorization: `Bearer ${token}`, ...(isFile ? {} : { 'content-type': 'application/json' }) };
    const response = await fetch(api + path, { method, headers, body: isFile ? body : JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string; appKey: { secret: string } };
  };
  const application = await send('POST', '/applications', { name: 'bench' });
  const applicationIds = [application.id];
  const network = await send('POST', '/networks', { destinations: [destination], applicationIds });
  const media = await send('POST', '/media', { applicationIds });
  await send('PUT', `/media/${media.id}/audio`, await readFile(join(root, 'assets', 'sample-1.wav')));
  const fields = { action: 'blast', appkey: application.appKey.secret, networkid: network.id };
  return { mediaId: media.id, form: new URLSearchParams(fields).toString() };
};
