// A public server on the data in argv[2] that kills itself (SIGKILL) after the argv[3]rd step of an upload: a step is a
// commit, a file received, a file decoded. It issues a grant for media 101 and prints `{"port","uri"}` when it is ready.
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { holdNodeLease } from '../../src/app/node-lease.ts';
import { monotonicMs, random, wakeAfter } from '../../src/clock.ts';
import type { Store } from '../../src/domain/store-port.ts';
import { buildPublicServer } from '../../src/http/public-server.ts';
import { waveformOfUlaw } from '../../src/rtp/peaks.ts';
import { ulawToWav } from '../../src/rtp/ulaw-wav.ts';
import { openSqliteStore } from '../../src/store/open-store.ts';
import { openVault } from '../../src/store/vault.ts';
import { plainIngest } from './http-fixture.ts';
import { NO_METRICS } from './no-metrics.ts';
import { QUIET_LOG } from './quiet-log.ts';
import { STEADY } from './steady.ts';
import { application } from './store-fixture.ts';

const [, , directory = '', killAfter] = process.argv;
let steps = 0;
const step = (): void => {
  steps += 1;
  if (steps === Number(killAfter)) process.kill(process.pid, 'SIGKILL');
};

const scratchDirectory = join(directory, 'scratch');
await mkdir(scratchDirectory, { recursive: true });
const path = join(directory, 'ringcast.db');
const store = await openSqliteStore({ path, vault: await openVault(directory), log: QUIET_LOG });
await holdNodeLease({ store, random, wakeAfter, monotonicMs, clock: STEADY, metrics: NO_METRICS, log: QUIET_LOG });
const stepping: Store = {
  ...store,
  async transact(work) {
    const result = await store.transact(work);
    step();
    return result;
  },
};

const server = buildPublicServer({
  store: stepping,
  async ingest(...file) {
    step();
    const audio = await plainIngest(...file);
    step();
    return audio;
  },
  judgeHead: async () => Infinity,
  scratchDirectory,
  limits: { maxUploadBytes: 4_194_304, maxClipSeconds: 600, grantTtlSeconds: 86_400, maxWaitingCalls: 1000 },
  routeHealth: { isCallable: () => true },
  dialer: {
    wake: () => undefined,
    cancel: () => undefined,
    framesSent: () => null,
    isDraining: () => false,
    callsPerMinuteOverloaded: () => null,
  },
  random,
  wakeAfter,
  metrics: NO_METRICS,
  log: QUIET_LOG,
  builtInGreeting: { frameCount: 1 },
  toWav: ulawToWav,
  toWaveform: waveformOfUlaw,
  events: { subscribe: () => () => undefined },
  publicUrl: null,
  isReady: () => true,
});
await server.listen({ host: '127.0.0.1', port: 0 });
const { token } = await store.transact(async (tx) => {
  if (!(await tx.findMedia('101'))) {
    await tx.createApplication(application());
    await tx.createMedia({ id: '101', name: '', applicationIds: ['app'] });
  }
  const { id: keyId } = await tx.createAppKey('app', null);
  return tx.issueGrant({ mediaId: '101', caller: { applicationId: 'app', keyId }, ttlSeconds: 86_400 });
});
const { port } = server.server.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ port, uri: `/api/rest/media/101/${token}` })}\n`);
