import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from '../support/child.ts';

const root = join(import.meta.dirname, '..', '..');

const SETTINGS = {
  RINGCAST_PUBLIC_LISTEN: '127.0.0.1:0',
  RINGCAST_OPERATOR_LISTEN: '127.0.0.1:0',
  RINGCAST_SIP_LISTEN: '127.0.0.1:0',
  RINGCAST_CALLS_PER_SECOND: '10000',
  RINGCAST_MAX_CONCURRENT_CALLS: '4000',
  // Ports rest for a minute: enough for 400 calls a second.
  RINGCAST_RTP_PORTS: '16384-65535',
  RINGCAST_MAX_WAITING_CALLS: '1000000',
  RINGCAST_LOG_LEVEL: 'error',
};

/** A server of its own process, and a peer in this one that it dials. */
export const startLive = async <Peer extends { readonly port: number; close(): void }>(
  settings: Readonly<Record<string, string>>,
  openPeer: () => Promise<Peer>,
) => {
  await mkdir(join(root, 'data'), { recursive: true });
  const dataDirectory = await mkdtemp(join(root, 'data', 'bench-'));
  const peer = await openPeer();
  const environment = { ...SETTINGS, ...settings, RINGCAST_DATA_DIR: dataDirectory };
  const server = await startChild(join(root, 'src', 'ringcast.ts'), ['serve'], environment);
  const { public: publicUrl, operator } = server.ready as { public: string; operator: string };
  const token = (await readFile(join(dataDirectory, 'operator-token'), 'utf8')).trim();
  const send = async (method: string, path: string, body: object | string | Uint8Array<ArrayBuffer>) => {
    const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
    const type = typeof body === 'string' ? { 'content-type': 'text/csv' } : {};
    const headers = { authorization: `Bearer ${token}`, ...(isJson ? { 'content-type': 'application/json' } : type) };
    const init = { method, headers, body: isJson ? JSON.stringify(body) : body };
    const response = await fetch(`${operator}/operator/v1${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string; appKey: { secret: string } };
  };
  const { id: applicationId, appKey } = await send('POST', '/applications', { name: 'bench', dialBySeconds: 86_400 });
  const media = await send('POST', '/media', { applicationIds: [applicationId] });
  await send('PUT', `/media/${media.id}/audio`, await readFile(join(root, 'assets', 'sample-1.wav')));
  const nodes = [server];
  const makeNetworkOf = async (destinations: readonly string[], trunkIds: readonly string[] = []): Promise<string> => {
    const network = await send('POST', '/networks', { destinations: [], trunkIds, applicationIds: [applicationId] });
    await send('POST', `/networks/${network.id}/destinations`, destinations.join('\n'));
    return network.id;
  };
  return {
    peer,
    /** Makes a network of `users` of the peer; its id. */
    makeNetwork: (users: readonly string[]) => makeNetworkOf(users.map((user) => `sip:${user}@127.0.0.1:${peer.port}`)),
    /** Makes a network of numbers over a trunk to the peer that takes so many calls a second; its id. */
    async makePacedNetwork(numbers: readonly string[], callsPerSecond: number): Promise<string> {
      const body = { host: '127.0.0.1', port: peer.port, transport: 'udp', allowedPrefixes: ['+'], callsPerSecond };
      const trunk = await send('POST', '/trunks', body);
      return makeNetworkOf(numbers, [trunk.id]);
    },
    /** Starts one more node on the same database. */
    async addNode(): Promise<void> {
      nodes.push(await startChild(join(root, 'src', 'ringcast.ts'), ['serve'], environment));
    },
    /** Blasts; when the 202 was here. */
    async blast(networkId: string): Promise<number> {
      const body = new URLSearchParams({ action: 'blast', appkey: appKey.secret, networkid: networkId });
      const response = await fetch(`${publicUrl}/api/rest/media/${media.id}`, { method: 'POST', body });
      const atMs = performance.now();
      if (response.status !== 202) throw new Error(`the blast was answered ${response.status}`);
      await response.arrayBuffer();
      return atMs;
    },
    /** A figure of the server without labels. */
    async readMetric(name: string): Promise<number> {
      const response = await fetch(`${operator}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      const text = await response.text();
      return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
    },
    async clear(): Promise<void> {
      for (const node of nodes) await node.kill();
      peer.close();
      await rm(dataDirectory, { recursive: true });
    },
  };
};
