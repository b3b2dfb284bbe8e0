import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOOPBACK, makeDirectory } from '../support/ringcast.ts';
import { ringcastEnds, spawnRingcast } from '../support/server-process.ts';

let dataDirectory: string;
beforeEach(async () => {
  dataDirectory = await makeDirectory();
});
afterEach(() => rm(dataDirectory, { recursive: true, force: true }));

const failing = (environment: Record<string, string>, ...args: string[]) =>
  ringcastEnds(['serve', ...args], { ...LOOPBACK, RINGCAST_DATA_DIR: dataDirectory, ...environment });

/** Starts once, so that there is a database and a secret. */
const startOnce = async (): Promise<void> => void (await (await spawnRingcast(dataDirectory)).terminate());

describe('a start that cannot be: one sentence, and an exit status', () => {
  it('wrong configuration: 2, naming variable, value and what is expected', async () => {
    const { status, errors } = await failing({ RINGCAST_RTP_PORTS: 'lots' });
    expect(status).toBe(2);
    expect(errors).toBe(
      'RINGCAST_RTP_PORTS is "lots": expected a range FROM-TO within 1024-65535, such as 16384-32767.\n',
    );
  });

  it('a flag of serve stands for its variable', async () => {
    const { status, errors } = await failing({}, '--max-clip-seconds', 'ten');
    expect([status, errors.split(':')[0]]).toEqual([2, 'RINGCAST_MAX_CLIP_SECONDS is "ten"']);
  });

  it('an unknown flag: 2', async () => {
    expect((await failing({}, '--no-such-flag')).status).toBe(2);
  });

  it.each(['RINGCAST_PUBLIC_LISTEN', 'RINGCAST_OPERATOR_LISTEN'])('%s: port in use', async (variable) => {
    const holder = createServer();
    const port = await new Promise<number>((resolve) =>
      holder.listen(0, '127.0.0.1', () => resolve((holder.address() as { port: number }).port)),
    );
    const { status, errors } = await failing({ [variable]: `127.0.0.1:${port}` });
    holder.close();
    expect(status).toBe(1);
    expect(errors.trim().split('\n')).toEqual([expect.stringContaining(variable)]);
    expect(errors).toContain(`${port}`);
  });

  it('a second server on the same data directory', async () => {
    const first = await spawnRingcast(dataDirectory);
    const { status, errors } = await failing({});
    await first.terminate();
    expect([status, errors.trim().split('\n').length]).toEqual([1, 1]);
    expect(errors).toMatch(/another|already|in use/i);
  });

  it('a data directory that is a file', async () => {
    const file = join(dataDirectory, 'file');
    await writeFile(file, '');
    const { status, errors } = await failing({ RINGCAST_DATA_DIR: file });
    expect(status).toBe(1);
    expect(errors).toContain('RINGCAST_DATA_DIR');
  });

  it.each([
    ['data directory', { RINGCAST_DATA_DIR: '/proc/ringcast-data' }, 'RINGCAST_DATA_DIR'],
    ['folder of the database', { RINGCAST_DATABASE_URL: 'sqlite:/proc/ringcast/a.db' }, 'RINGCAST_DATABASE_URL'],
  ])('a %s that cannot be made', async (_, environment, named) => {
    const { status, errors } = await failing(environment);
    expect([status, errors.trim().split('\n').length]).toEqual([1, 1]);
    expect(errors).toContain(named);
  });

  it('a database of a newer version', async () => {
    await startOnce();
    const db = new DatabaseSync(join(dataDirectory, 'ringcast.db'));
    const [{ name: table }] = db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE '%migration%'").all() as [
      { name: string },
    ];
    db.exec(`UPDATE ${table} SET version = version + 100`);
    db.close();
    const { status, errors } = await failing({});
    expect([status, errors.trim().split('\n').length]).toEqual([1, 1]);
    expect(errors).toMatch(/newer/);
  });

  it('a corrupt database', async () => {
    await startOnce();
    await writeFile(
      join(dataDirectory, 'ringcast.db'),
      'this is no database, and it is long enough to be looked at'.repeat(100),
    );
    const { status, errors } = await failing({});
    expect([status, errors.trim().split('\n').length]).toEqual([1, 1]);
    expect(errors).toMatch(/corrupt|not a database|damaged/i);
  });

  it('a database whose secret is gone', async () => {
    await startOnce();
    await rm(join(dataDirectory, 'secret'));
    const { status, errors } = await failing({});
    expect([status, errors.trim().split('\n').length]).toEqual([1, 1]);
    expect(errors).toMatch(/secret/);
  });
});
