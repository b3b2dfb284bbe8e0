import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { Upload, type UploadOptions } from 'tus-js-client';
import { describe, expect, it } from 'vitest';
import { type Cut, openCutProxy } from '../../test/support/cut-proxy.ts';
import { type HttpFixture, KEY, startHttp } from '../../test/support/http-fixture.ts';
import { PART_TYPE, tusClient } from '../../test/support/tus-client.ts';

/** Three parts of the store and a bit. */
const SIZE = 3_300_007;
const FILE = Buffer.concat([Buffer.from('audio'), randomBytes(SIZE - 5)]);
const DIGEST = createHash('sha256').update(FILE).digest('hex');

const withServer = async (work: (http: HttpFixture) => Promise<void>, idleTimeoutMs = 60_000): Promise<void> => {
  const http = await startHttp({ idleTimeoutMs, limits: { maxUploadBytes: SIZE } });
  try {
    await work(http);
    expect(await http.scratchFiles()).toEqual([]);
  } finally {
    await http.close();
  }
};

/** Not by HTTP: a server with a short idle time-out closes the line under a client that keeps it. */
const issue = async ({ store }: HttpFixture): Promise<string> => {
  const caller = await store.view((views) => views.findCaller(KEY));
  if (!caller) throw new Error('no caller');
  const { token } = await store.transact((tx) => tx.issueGrant({ mediaId: '101', caller, ttlSeconds: 60 }));
  return `/api/rest/media/101/${token}`;
};

const upload = (endpoint: string, options: Partial<UploadOptions> = {}, onStart: (upload: Upload) => void = () => {}) =>
  new Promise<void>((resolve, reject) => {
    const started = new Upload(FILE, {
      endpoint,
      metadata: { filename: 'a.wav' },
      retryDelays: Array(60).fill(0),
      ...options,
      onSuccess: () => resolve(),
      onError: reject,
    });
    onStart(started);
    started.start();
  });

const expectKept = async ({ store }: HttpFixture): Promise<void> => {
  const media = await store.view((views) => views.findMedia('101'));
  expect(media?.clip).toMatchObject({ digest: DIGEST, originalBytes: SIZE });
};

describe('B tus with tus-js-client', () => {
  it.each([Number.POSITIVE_INFINITY, 700_000])('B tus a whole upload in chunks of %s', (chunkSize) =>
    withServer(async (http) => {
      await upload(http.publicUrl + (await issue(http)), { chunkSize });
      await expectKept(http);
    }),
  );

  it('B tus paused and resumed', () =>
    withServer(async (http) => {
      let paused = 0;
      let running: Upload | null = null;
      const onChunkComplete = (): void => {
        if (paused === 3) return;
        paused += 1;
        void running?.abort().then(() => running?.start());
      };
      await upload(http.publicUrl + (await issue(http)), { chunkSize: 500_000, onChunkComplete }, (started) => {
        running = started;
      });
      expect(paused).toBe(3);
      await expectKept(http);
    }));

  it.each<Cut>(['FIN', 'RST', 'silence'])(
    'B tus a line cut by %s at every twentieth of the file: the digest is that of the file',
    (cut) =>
      withServer(
        async (http) => {
          const proxy = await openCutProxy(http.publicPort, { cut, everyBytes: SIZE / 20, times: 19 });
          try {
            const uri = await issue(http);
            await upload(`http://127.0.0.1:${proxy.port}${uri}`);
            expect(proxy.cuts()).toBe(19);
            await expectKept(http);
            const grant = await http.store.view((views) => views.findGrant(uri.split('/').pop() ?? ''));
            expect(grant).toMatchObject({ state: 'spent', failedTries: 0 });
          } finally {
            await proxy.close();
          }
        },
        cut === 'silence' ? 200 : undefined,
      ),
  );
});

describe('B tus a line that is cut', () => {
  it('B tus a sender that falls silent is cut off, and what arrived is kept to the octet', () =>
    withServer(async (http) => {
      const { begin, patch, offsetOf } = tusClient(() => http);
      const location = await begin(await issue(http), SIZE);
      const sizes = [5, 1_200_000];
      let offset = 0;
      for (const bytes of sizes) {
        const seen = http.logged.length;
        const socket = connect(http.publicPort, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(
          `PATCH ${location} HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nContent-Type: ${PART_TYPE}\r\n` +
            `Upload-Offset: ${offset}\r\nContent-Length: ${SIZE - offset}\r\n\r\n`,
        );
        socket.write(FILE.subarray(offset, offset + bytes));
        await http.untilLogged(({ message }) => message === 'upload refused', seen);
        socket.destroy();
        offset += bytes;
        expect(await offsetOf(location)).toBe(offset);
      }
      expect((await patch(location, offset, FILE.subarray(offset))).status).toBe(204);
      await expectKept(http);
    }, 600));

  it('B tus a client that comes back pushes its stale request aside, which keeps what it has', () =>
    withServer(async (http) => {
      const { begin, offsetOf } = tusClient(() => http);
      const location = await begin(await issue(http), SIZE);
      const socket = connect(http.publicPort, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `PATCH ${location} HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nContent-Type: ${PART_TYPE}\r\n` +
          `Upload-Offset: 0\r\nContent-Length: ${SIZE}\r\n\r\n`,
      );
      socket.write(FILE.subarray(0, 1_048_576 + 1000));
      const parts = () => http.sql('select part from partial_upload_parts').length;
      while (parts() === 0) await new Promise((resolve) => setImmediate(resolve));
      expect(await offsetOf(location)).toBeGreaterThanOrEqual(1_048_576);
      socket.destroy();
    }));
});
