// Runs a script of this checkout on the pinned Node: `node scripts/bootstrap.mjs SCRIPT [ARGUMENT…]`.
//
// Plain JavaScript that any Node from 20 on can run, because it is what makes the right Node appear: it sees to it that
// node_modules is what package-lock.json says, then hands over to the Node of the `node` dev-dependency.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { handOver } from './bootstrap/hand-over.mjs';
import { install } from './bootstrap/install.mjs';
import { adoptIfComplete, lockPath, readStamp, writeStamp } from './bootstrap/installed.mjs';
import { takeLock } from './bootstrap/lock.mjs';

const OLDEST_USABLE_NODE = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Standard output belongs to the script. */
const say = (sentence) => process.stderr.write(`ringcast: ${sentence}\n`);

/** Answers the stamp of a complete node_modules, installing first if need be. */
async function ensureInstalled() {
  const present = readStamp(root) ?? adoptIfComplete(root);
  if (present) return present;
  const release = await takeLock(lockPath(root), () =>
    say('waiting for another run that is installing the dependencies…'),
  );
  try {
    const madeMeanwhile = readStamp(root);
    if (madeMeanwhile) return madeMeanwhile;
    say('installing the dependencies into node_modules, once; this takes a minute…');
    await install(root);
    return writeStamp(root);
  } finally {
    release();
  }
}

function chooseNode(stamp) {
  if (stamp.pinnedNode) return join(root, stamp.pinnedNode);
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_USABLE_NODE) return process.execPath;
  throw new Error(
    `the pinned Node could not be installed for this machine, and the present one is ${process.versions.node}; ` +
      `install Node ${OLDEST_USABLE_NODE} or newer, or let npm run install scripts (npm config get ignore-scripts) and run npm ci`,
  );
}

try {
  const stamp = await ensureInstalled();
  handOver(chooseNode(stamp), process.argv.slice(2));
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
