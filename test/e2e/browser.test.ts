import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWithPeer } from '../interop/peer-program.ts';
import { openAnswerLosingProxy } from '../support/answer-losing-proxy.ts';
import { type Cut, openCutProxy } from '../support/cut-proxy.ts';
import { makeDirectory, startRingcast, type TestServer } from '../support/ringcast.ts';
import { makeScenario, must, type Scenario, toneWav } from '../support/scenario.ts';

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const MAX_UPLOAD_BYTES = 5_000_000;
/** Four parts of the page. */
const WAV = toneWav(440, 12_000);
const repository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const sha256 = (octets: Uint8Array): string => createHash('sha256').update(octets).digest('hex');
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** What somebody's web server holds: the page and its script, nothing else. */
const PAGES: Readonly<Record<string, { readonly path: string; readonly type: string }>> = {
  '/upload.html': { path: 'docs/examples/upload.html', type: 'text/html' },
  '/tus.min.js': { path: 'node_modules/tus-js-client/dist/tus.min.js', type: 'text/javascript' },
};

const startWebServer = async (): Promise<Server> => {
  const server = createServer(async ({ url = '' }, response) => {
    const page = PAGES[url];
    if (!page) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': page.type }).end(await readFile(repository(page.path)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

describeWithPeer('chromium', 'chromium', () => {
  let server: TestServer;
  let scenario: Scenario;
  let webServer: Server;
  let browser: Browser;
  let page: Page;
  let directory: string;
  beforeAll(async () => {
    directory = await makeDirectory();
    server = await startRingcast({ RINGCAST_MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) });
    scenario = await makeScenario(server.api, ['sip:nobody@127.0.0.1:9']);
    webServer = await startWebServer();
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS });
  });
  afterAll(async () => {
    await browser.close();
    webServer.close();
    await server.close();
    await rm(directory, { recursive: true });
  });
  beforeEach(async () => {
    page = await browser.newPage();
  });
  afterEach(() => page.close());

  const portOfServer = (): number => Number(new URL(server.publicUrl).port);

  const issue = async (): Promise<{ mediaId: string; uri: string }> => {
    const media = must(201, await server.api.application('POST', '/media', scenario.appKey, {}));
    const grant = must(201, await server.api.requestGrant(media.id, scenario.appKey));
    return { mediaId: media.id, uri: grant.UploadResponse.uri };
  };

  const originalOf = async (mediaId: string): Promise<Uint8Array> => {
    const url = `${server.publicUrl}/api/v1/media/${mediaId}/audio?as=original`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${scenario.appKey}` } });
    return new Uint8Array(await response.arrayBuffer());
  };

  const fill = async (grantUrl: string, octets: Uint8Array): Promise<void> => {
    const path = join(directory, 'clip.wav');
    await writeFile(path, octets);
    await page.goto(`http://127.0.0.1:${portOf(webServer)}/upload.html#${grantUrl}`);
    await page.setInputFiles('#file', path);
  };

  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const says = (text: string): Promise<void> => page.getByRole('status').filter({ hasText: text }).waitFor();
  const sentShare = (): Promise<number> => page.locator('#bar').evaluate((bar) => Number(Reflect.get(bar, 'value')));

  it('B tus a page of another origin in Chromium: paused, resumed, done, and the clip is the file', async () => {
    const { mediaId, uri } = await issue();
    // The line falls silent in the second part, so that there is all the time to press Pause.
    const line = await openCutProxy(portOfServer(), {
      cut: 'silence',
      everyBytes: 1_500_000,
      times: 1,
    });
    try {
      await fill(`http://127.0.0.1:${line.port}${uri}`, WAV);
      await press('Upload');
      await page.waitForFunction('document.getElementById("bar").value > 0.25');
      await press('Pause');
      await says('Paused. What has arrived is kept.');
      expect(await sentShare()).toBeLessThan(0.6);
      await press('Resume');
      await says('Done: the clip can be played on the phone.');
      expect(await sentShare()).toBe(1);
      expect(line.cuts()).toBe(1);
      // What had arrived was not sent again.
      expect(line.forwarded()).toBeLessThan(WAV.length + 500_000);
    } finally {
      await line.close();
    }
    expect(sha256(await originalOf(mediaId))).toBe(sha256(WAV));
  });

  it.each<Cut>(['FIN', 'RST'])('B tus the page goes on by itself after a line cut by %s', async (cut) => {
    const { mediaId, uri } = await issue();
    const line = await openCutProxy(portOfServer(), { cut, everyBytes: 900_000, times: 4 });
    try {
      await fill(`http://127.0.0.1:${line.port}${uri}`, WAV);
      await press('Upload');
      await says('Done: the clip can be played on the phone.');
      expect(line.cuts()).toBe(4);
    } finally {
      await line.close();
    }
    expect(sha256(await originalOf(mediaId))).toBe(sha256(WAV));
  });

  it('B tus the page is done when the last answer is lost', async () => {
    const { mediaId, uri } = await issue();
    const line = await openAnswerLosingProxy(portOfServer(), WAV.length);
    try {
      await fill(`http://127.0.0.1:${line.port}${uri}`, WAV);
      await press('Upload');
      await says('Done: the clip can be played on the phone.');
    } finally {
      await line.close();
    }
    expect(sha256(await originalOf(mediaId))).toBe(sha256(WAV));
  });

  it('B tus the page goes on after it was closed and opened again', async () => {
    const { mediaId, uri } = await issue();
    const line = await openCutProxy(portOfServer(), {
      cut: 'silence',
      everyBytes: 2_500_000,
      times: 1,
    });
    try {
      await fill(`http://127.0.0.1:${line.port}${uri}`, WAV);
      await press('Upload');
      await page.waitForFunction('document.getElementById("bar").value > 0.56');
      await page.reload();
      await page.setInputFiles('#file', join(directory, 'clip.wav'));
      await press('Upload');
      await says('Done');
      expect(line.forwarded()).toBeLessThan(WAV.length + 500_000);
    } finally {
      await line.close();
    }
    expect(sha256(await originalOf(mediaId))).toBe(sha256(WAV));
  });

  it.each([
    ['410', WAV, 'This grant has been used, has expired or was withdrawn. Ask for a new one.'],
    ['413', new Uint8Array(MAX_UPLOAD_BYTES + 1), 'This file is too large or plays too long.'],
    ['415', Buffer.from('no tune at all'), 'This file is no audio that can be played whole.'],
  ])('the page tells what a %s means, and lets another file be chosen', async (status, octets, sentence) => {
    const { uri } = await issue();
    if (status === '410') must(201, await server.api.upload(uri, toneWav(440, 10)));
    await fill(server.publicUrl + uri, octets);
    await press('Upload');
    await says(sentence);
    expect(await page.locator('#file').isEnabled()).toBe(true);
    if (status === '410') return;
    await page.setInputFiles('#file', { name: 'b.wav', mimeType: 'audio/wav', buffer: Buffer.from(toneWav(440, 10)) });
    await press('Upload');
    await says('Done');
  });
});
