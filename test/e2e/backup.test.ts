import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backUp } from '../../src/backup.ts';
import { makeDirectory, startRingcast, type TestServer } from '../support/ringcast.ts';
import { makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startRingcast();
});
afterAll(() => server?.close());
beforeEach(async () => {
  folder = await makeDirectory();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (target: string, environment: Record<string, string> = {}): Promise<void> =>
  backUp(target, { RINGCAST_DATA_DIR: server.dataDirectory, ...environment });

describe('a backup', () => {
  it('taken while the server runs starts as a server with all that was committed', async () => {
    const { appKey } = await makeScenario(server.api, ['sip:test@127.0.0.1:9']);
    const mediaId = await uploadMedia(server.api, appKey, toneWav(440, 1));
    const target = join(folder, 'copy');
    await run(target);
    expect(await readdir(folder)).toEqual(['copy']);
    const modes = await Promise.all(
      ['', 'ringcast.db', 'secret', 'operator-token'].map((name) => stat(join(target, name))),
    );
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600, 0o600, 0o600]);
    await uploadMedia(server.api, appKey, toneWav(880, 1));
    const restored = await startRingcast({}, target);
    try {
      expect(restored.operatorToken).toBe(server.operatorToken);
      const listed = must(200, await restored.api.application('GET', '/media', appKey)).items;
      expect(listed.map(({ id }: { id: string }) => id)).toEqual([mediaId]);
      must(201, await restored.api.requestGrant(mediaId, appKey));
    } finally {
      await restored.close();
    }
  });

  it.each([
    ['a folder that exists', {}, 'there', /exists already/],
    ['PostgreSQL', { RINGCAST_DATABASE_URL: 'postgres://u:p4ss@h/d' }, 'copy', /^(?!.*p4ss).*pg_dump/],
    ['no database', { RINGCAST_DATA_DIR: '/nowhere' }, 'copy', /there is no database \/nowhere/],
  ])('is refused for %s', async (_, environment, name, sentence) => {
    await mkdir(join(folder, 'there'));
    await expect(run(join(folder, name), environment)).rejects.toThrow(sentence);
    expect(await readdir(folder)).toEqual(['there']);
  });

  it('that cannot be made whole leaves nothing', async () => {
    const database = { RINGCAST_DATABASE_URL: `sqlite:${join(server.dataDirectory, 'ringcast.db')}` };
    await expect(run(join(folder, 'copy'), { ...database, RINGCAST_DATA_DIR: folder })).rejects.toThrow(
      /^no backup was made: .*secret/,
    );
    const broken = join(folder, 'broken.db');
    await writeFile(broken, 'no database at all, '.repeat(100));
    await expect(run(join(folder, 'copy'), { RINGCAST_DATABASE_URL: `sqlite:${broken}` })).rejects.toThrow(
      /^no backup was made/,
    );
    expect(await readdir(folder)).toEqual(['broken.db']);
  });
});
