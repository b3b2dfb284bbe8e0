import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { openVault } from './vault.ts';

describe('vault', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ringcast-vault-'));
  });
  afterEach(() => rm(directory, { recursive: true }));
  const secretPath = () => join(directory, 'secret');

  it('makes a secret of 32 octets for its owner alone, once, and leaves nothing else', async () => {
    const nested = join(directory, 'a', 'b');
    const [first, second] = await Promise.all([openVault(nested), openVault(nested)]);
    expect(await readdir(nested)).toEqual(['secret']);
    const { size, mode } = await stat(join(nested, 'secret'));
    expect([size, mode & 0o777]).toEqual([32, 0o600]);
    const third = await openVault(nested);
    const hashes = [first, second, third].map((vault) => vault.hash('app key', 'x'));
    expect(new Set(hashes).size).toBe(1);
  });

  it('hashes the same text differently for another purpose and with another secret', async () => {
    const vault = await openVault(directory);
    const other = await openVault(join(directory, 'other'));
    const hashes = [
      vault.hash('app key', 'x'),
      vault.hash('app key', 'y'),
      vault.hash('grant id', 'x'),
      vault.hash('upload token', 'x'),
      other.hash('app key', 'x'),
    ];
    expect(new Set(hashes).size).toBe(5);
    expect(hashes.every((hash) => /^[A-Za-z0-9_-]{43}$/.test(hash))).toBe(true);
  });

  it('opens what it sealed, for the same context only', async () => {
    const vault = await openVault(directory);
    const sealed = vault.seal('pässword', 'trunk 1');
    expect(vault.unseal(sealed, 'trunk 1')).toBe('pässword');
    expect(vault.seal('pässword', 'trunk 1')).not.toBe(sealed);
    expect(() => vault.unseal(sealed, 'trunk 2')).toThrow();
    const octets = Buffer.from(sealed, 'base64url');
    octets.writeUInt8(octets.readUInt8(octets.length - 1) ^ 1, octets.length - 1);
    expect(() => vault.unseal(octets.toString('base64url'), 'trunk 1')).toThrow();
    const other = await openVault(join(directory, 'other'));
    expect(() => other.unseal(sealed, 'trunk 1')).toThrow();
  });

  it('makes no new secret beside a database whose keys it would make invalid', async () => {
    await writeFile(join(directory, 'ringcast.db'), '');
    await expect(openVault(directory)).rejects.toThrow(/secret is missing.*restore it from a backup/);
    const elsewhere = join(directory, 'elsewhere.db');
    await writeFile(elsewhere, '');
    await expect(openVault(join(directory, 'new'), { databasePath: elsewhere })).rejects.toThrow(/secret is missing/);
    expect(await readdir(directory)).toEqual(['elsewhere.db', 'ringcast.db']);
  });

  it('refuses a damaged secret', async () => {
    await openVault(directory);
    await writeFile(secretPath(), (await readFile(secretPath())).subarray(0, 31));
    await expect(openVault(directory)).rejects.toThrow(/holds 31 octets instead of 32: restore it/);
  });

  it('names the fix when the directory cannot be made', async () => {
    await writeFile(secretPath(), 'a file');
    await expect(openVault(join(secretPath(), 'below'))).rejects.toThrow(/cannot be written.*RINGCAST_DATA_DIR/);
  });

  it('warns of a secret that others may read', async () => {
    await openVault(directory);
    const warnings: string[] = [];
    const log = { ...QUIET_LOG, warn: (_: object, message: string) => void warnings.push(message) };
    await openVault(directory, { log });
    expect(warnings).toEqual([]);
    await chmod(secretPath(), 0o640);
    await openVault(directory, { log });
    expect(warnings).toEqual(['other users may read the secret: chmod 600 it']);
  });
});
