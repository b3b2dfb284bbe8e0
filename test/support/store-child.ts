// A process that writes to the store at argv[2] until it is killed. It prints the id of a blast once its commit is
// told, a line each. With `hang` as argv[3] it then prints `inside` in the middle of a transaction that never ends.
import { dirname } from 'node:path';
import { openSqliteStore } from '../../src/store/open-store.ts';
import { openVault } from '../../src/store/vault.ts';
import { QUIET_LOG } from './quiet-log.ts';
import { blast, provision } from './store-fixture.ts';

const [, , path = '', mode] = process.argv;
const store = await openSqliteStore({ path, vault: await openVault(dirname(path)), log: QUIET_LOG });
const print = (line: string) => process.stdout.write(`${line}\n`);

const accept = async (id: string): Promise<void> => {
  await store.transact(async (tx) => {
    await tx.insertBlast(blast({ id }));
    await tx.rememberBlast('app', id, { blastId: id, requestDigest: '' });
  });
  print(id);
};

/** More than the page cache holds, so that pages of the open transaction reach the file. */
const writeForever = (): Promise<void> =>
  store.transact(async (tx) => {
    await tx.insertBlast(blast({ id: 'uncommitted' }));
    for (let part = 0; part < 24; part++) await tx.stageOriginal('uncommitted', part, new Uint8Array(1_048_576));
    print('inside');
    await new Promise(() => {});
  });

await store.transact((tx) => provision(tx, ['sip:a@127.0.0.1', 'sip:b@127.0.0.1', 'sip:c@127.0.0.1']));
for (let at = 0; at < 20; at++) await accept(`b${at}`);
process.stdin.resume();
if (mode === 'hang') await writeForever();
for (let at = 20; ; at += 10) await Promise.all(Array.from({ length: 10 }, (_, more) => accept(`b${at + more}`)));
