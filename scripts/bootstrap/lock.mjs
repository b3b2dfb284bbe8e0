// A lock file that holds its owner's process id. It appears complete (written aside, then linked), so a reader never
// sees half of it; a lock whose owner is gone is taken over.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 200;
const PATIENCE_MS = 15 * 60_000;

/**
 * Waits for the lock and takes it; the answer releases it. `onWait` is called once if somebody else holds it. Throws a
 * sentence if it cannot be had.
 */
export async function takeLock(path, onWait) {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (let waits = 0; !tryTake(path); ) {
    const owner = readOwner(path);
    if (owner !== null && !isAlive(owner)) {
      removeStale(path, owner);
      continue;
    }
    if (Date.now() > giveUpAt) throw new Error(`process ${owner} is still installing; if it is not, remove ${path}`);
    if (waits++ === 0) onWait();
    await sleep(RETRY_MS);
  }
  return () => rmSync(path, { force: true });
}

function tryTake(path) {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, String(process.pid));
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new Error(
      `the dependencies are not installed, and this checkout cannot be written (${error.code}, ${draft}); ` +
        'run `npm ci` in it as a user who may write there',
    );
  } finally {
    rmSync(draft, { force: true });
  }
}

function readOwner(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return null; // released meanwhile
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM'; // alive, and somebody else's
  }
}

/** Renaming succeeds for one process only; if what it moved turns out to be a new owner's lock, it goes back. */
function removeStale(path, owner) {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readOwner(aside) !== owner) linkSync(aside, path);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error; // another process was faster
  } finally {
    rmSync(aside, { force: true });
  }
}
