import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFfmpeg } from '../../src/audio/native-ffmpeg.ts';
import type { BadFile } from '../corpus/bad-file.ts';
import { disguises } from '../corpus/disguises.ts';
import { makeGoodFiles } from '../corpus/good-files.ts';
import { polyglots } from '../corpus/polyglots.ts';
import { makeDirectory } from '../support/ringcast.ts';
import { describeWithPeer } from './peer-program.ts';

const run = promisify(execFile);
const CHILD = fileURLToPath(new URL('../support/ingest-child.ts', import.meta.url));

describeWithPeer('strace', 'strace', () => {
  let folder: string;
  let ffmpeg: string;
  let paths: readonly string[];
  const asked: string[] = [];
  const bait = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });

  beforeAll(async () => {
    folder = await makeDirectory();
    ffmpeg = (await findFfmpeg(process.env.PATH ?? '')) ?? '';
    await new Promise<void>((resolve) => bait.listen(0, '127.0.0.1', resolve));
    const { port } = bait.address() as AddressInfo;
    const good = await makeGoodFiles(folder);
    const urls = [`http://127.0.0.1:${port}`, `http://bait.ringcast.invalid:${port}`];
    const files = urls.flatMap((url): readonly BadFile[] =>
      [...disguises(url), ...polyglots(good, url)].filter(({ octets }) => Buffer.from(octets).includes(url)),
    );
    paths = await Promise.all(files.map(async ({ octets }, index) => save(`file-${index}`, octets)));
  });
  afterAll(async () => {
    bait.close();
    await rm(folder, { recursive: true });
  });

  const save = async (name: string, octets: Uint8Array): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, octets);
    return path;
  };

  /** What a program and all that it starts ask the kernel for of sockets, one call a line. */
  const traced = async (...command: readonly string[]) => {
    const log = join(folder, 'trace');
    const args = ['-f', '-qq', '-e', 'trace=socket,connect', '-e', 'signal=none', '-o', log, ...command];
    const { stdout } = await run('strace', args).catch((error: { stdout: string }) => error);
    return { stdout, calls: (await readFile(log, 'latin1')).split('\n').filter(Boolean) };
  };
  const toNetworks = (calls: readonly string[]): readonly string[] => calls.filter((call) => !call.includes('AF_UNIX'));

  it('sees FFmpeg follow a playlist when nothing keeps it from it', async () => {
    const { port } = bait.address() as AddressInfo;
    const playlist = await save(
      'playlist.m3u8',
      Buffer.from(`#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nhttp://127.0.0.1:${port}/a.ts\n#EXT-X-ENDLIST\n`),
    );
    const { calls } = await traced(ffmpeg, '-protocol_whitelist', 'file,http,tcp', '-i', playlist, '-f', 'null', '-');
    expect(toNetworks(calls)).toContainEqual(expect.stringContaining(`htons(${port})`));
    expect(asked.splice(0)).toContain('/a.ts');
  });

  it.each([
    ['native FFmpeg', () => [ffmpeg, ...paths]],
    // Slow: without those that name a host.
    ['FFmpeg in WebAssembly', () => ['-', ...paths.slice(0, paths.length / 2)]],
  ])(
    'neither Ringcast nor %s asks for a network, whatever files point to',
    async (_, args) => {
      const { stdout, calls } = await traced(process.execPath, CHILD, folder, ...args());
      expect(stdout.trim().split('\n')).toHaveLength(args().length - 1);
      expect(stdout).toContain('taken');
      expect(toNetworks(calls)).toEqual([]);
      expect(asked).toEqual([]);
    },
    180_000,
  );
});
