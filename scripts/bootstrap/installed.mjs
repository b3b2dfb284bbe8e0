// Whether node_modules is what package-lock.json asks for on this machine.
//
// A stamp inside node_modules says so in one small read. An installation that npm made by itself (`npm ci` by hand) has
// no stamp; it is recognized by npm's own record of what it installed, node_modules/.package-lock.json.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PINNED_NODE = join('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

/** The file that keeps two installations of one checkout apart; outside node_modules, which npm replaces. */
export const lockPath = (root) => join(root, '.bootstrap.lock');

const stampPath = (root) => join(root, 'node_modules', '.ringcast-stamp.json');

/** `glibc` or `musl` on Linux, else an empty string; packages with native code differ by it. */
function libc() {
  if (process.platform !== 'linux') return '';
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

function key(root) {
  const lockFile = readFileSync(join(root, 'package-lock.json'));
  const digest = createHash('sha256').update(lockFile).digest('hex');
  return [digest, process.platform, process.arch, libc()].join(' ');
}

/** The stamp of an installation that is complete and for this machine, else null. */
export function readStamp(root) {
  const stamp = readJson(stampPath(root));
  if (stamp?.key !== key(root)) return null;
  return stamp.pinnedNode && !existsSync(join(root, stamp.pinnedNode)) ? null : stamp;
}

/** Records that node_modules is complete, and whether the pinned Node in it runs here. */
export function writeStamp(root) {
  const runs = spawnSync(join(root, PINNED_NODE), ['--version'], { stdio: 'ignore' }).status === 0;
  const stamp = { key: key(root), pinnedNode: runs ? PINNED_NODE : null };
  writeFileSync(stampPath(root), `${JSON.stringify(stamp)}\n`);
  return stamp;
}

/** Stamps an installation that npm made by itself, if nothing is missing from it; else answers null. */
export function adoptIfComplete(root) {
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (!installed || !existsSync(join(root, PINNED_NODE))) return null;
  const wanted = Object.entries(readJson(join(root, 'package-lock.json'))?.packages ?? {});
  const complete = wanted.every(([path, entry]) => path === '' || isSatisfied(entry, installed[path]));
  return complete ? tryWriteStamp(root) : null;
}

function isSatisfied(wanted, installed) {
  if (installed) return installed.integrity === wanted.integrity;
  return wanted.optional === true && !isMadeForThisMachine(wanted);
}

/** Whether a package is one platform's, and the platform is this one. */
function isMadeForThisMachine({ os, cpu, libc: libcs }) {
  const isOnePlatforms = Boolean(os ?? cpu ?? libcs);
  return isOnePlatforms && allows(os, process.platform) && allows(cpu, process.arch) && allows(libcs, libc());
}

/** npm's rule for the `os`, `cpu` and `libc` lists: absent is any, `!x` is any but x. */
function allows(list, value) {
  if (!list || value === '') return true;
  return list.includes(value) || (list.every((item) => item.startsWith('!')) && !list.includes(`!${value}`));
}

/** A complete installation in a folder that cannot be written is as good as a stamped one. */
function tryWriteStamp(root) {
  try {
    return writeStamp(root);
  } catch (error) {
    if (error.code === 'EROFS' || error.code === 'EACCES') return { pinnedNode: PINNED_NODE };
    throw error;
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null; // absent or damaged: the same answer, it is not what was asked for
  }
}
