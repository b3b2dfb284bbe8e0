import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A file system of `MEBIBYTES` in memory at the folder $0, for what is run below and nobody else; the log lies on it too. */
const MEBIBYTES = 24;
const SCRIPT = `mount -t tmpfs -o size=${MEBIBYTES}m tmpfs "$0" && exec "$@" 2>"$0/log"`;
const UNSHARE = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'];

/** What runs a program with a small disk of its own at `folder`. */
export const withSmallDisk = (folder: string): readonly string[] => [...UNSHARE, SCRIPT, folder];

/** What this machine lacks for small disks and how to get it, or null. */
export const lackOfSmallDisks = (): string | null => {
  const { error, status } = spawnSync('unshare', [...UNSHARE.slice(1), 'mount -t tmpfs tmpfs /tmp']);
  if (error) return 'unshare is not installed: apt-get install util-linux mount';
  return status === 0 ? null : '`unshare --user --mount` is not allowed here: allow user name spaces, or be root';
};

/** Fills the disk that a process has at `folder`, to the last octet; the answer makes room again. */
export const fillDisk = (processId: number, folder: string): (() => void) => {
  const path = join(`/proc/${processId}/root`, folder, 'filler');
  const file = openSync(path, 'w');
  try {
    for (let part = Buffer.alloc(1_048_576); part.length > 0; ) {
      try {
        writeSync(file, part);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        part = part.subarray(0, part.length >> 1);
      }
    }
  } finally {
    closeSync(file);
  }
  return () => rmSync(path);
};
