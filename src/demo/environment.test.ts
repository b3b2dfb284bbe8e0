import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { childEnvironment, DATA_SETTINGS, operatorTokenIn } from './environment.ts';

test("the user's settings are left out but for those that are kept", () => {
  const mine = { PATH: '/bin', RINGCAST_PUBLIC_URL: 'https://h', RINGCAST_DATABASE_URL: 'sqlite:x' };
  expect(childEnvironment(mine, DATA_SETTINGS)).toEqual({ PATH: '/bin', RINGCAST_DATABASE_URL: 'sqlite:x' });
  expect(childEnvironment(mine, [])).toEqual({ PATH: '/bin' });
});

test('the token is the one given, else that of the data directory', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-token-'));
  try {
    await writeFile(join(directory, 'operator-token'), 'from-the-file\n');
    expect(await operatorTokenIn(directory, 'given')).toBe('given');
    expect(await operatorTokenIn(directory, undefined)).toBe('from-the-file');
    expect(await operatorTokenIn(directory, ' ')).toBe('from-the-file');
  } finally {
    await rm(directory, { recursive: true });
  }
});
