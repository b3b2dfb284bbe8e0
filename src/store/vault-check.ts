import type { Db } from './schema.ts';
import type { Vault } from './vault.ts';

/**
 * Keeps a hash of a fixed word in the database, to tell whether its keys were hashed with this vault's secret.
 * Throws an Error that names the fix if they were not.
 */
export const requireSameVault = async (db: Db, vault: Vault, name: string): Promise<void> => {
  const check = vault.hash('vault check', 'ringcast');
  await db.updateTable('settings').set({ vault_check: check }).where('vault_check', 'is', null).execute();
  const row = await db.selectFrom('settings').select('vault_check').executeTakeFirstOrThrow();
  if (row.vault_check !== check)
    throw new Error(
      `The secret of the data directory is not the one that the keys in ${name} were hashed with: restore the file "secret" that belongs to this database, or copy it from the data directory of another node.`,
    );
};
