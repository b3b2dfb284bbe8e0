import { readdir, readFile, readlink } from 'node:fs/promises';

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly name: string;
  /** What it runs: processes of the same share its pages. */
  readonly program: string;
  /** Resident and its own. */
  readonly ownKiB: number;
  /** Resident pages of files: of the program and its libraries. */
  readonly fileKiB: number;
}

/** Null if it ended meanwhile. */
const read = async (id: string): Promise<Process | null> => {
  try {
    const [stat, memory, program] = [
      await readFile(`/proc/${id}/stat`, 'latin1'),
      await readFile(`/proc/${id}/status`, 'latin1'),
      // Not to be seen of another user's: such a process counts as if it shared nothing.
      await readlink(`/proc/${id}/exe`).catch(() => id),
    ];
    const kiB = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(memory)?.[1] ?? 0);
    const [, name = '', parent = ''] = /^\d+ \((.*)\) \S (\d+)/s.exec(stat) ?? [];
    return {
      id: Number(id),
      parent: Number(parent),
      name,
      program,
      ownKiB: kiB('RssAnon') + kiB('RssShmem'),
      fileKiB: kiB('RssFile'),
    };
  } catch {
    return null;
  }
};

/** A process and all below it, as Linux tells them in /proc. */
export const processTree = async (root: number): Promise<readonly Process[]> => {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(ids.map(read))).filter((process) => process !== null);
  const found = all.filter(({ id }) => id === root);
  for (const { id } of found) found.push(...all.filter(({ parent }) => parent === id));
  return found;
};

/** What processes hold of memory, the pages of each program once. */
const memoryOf = (processes: readonly Process[]): number => {
  const programs = new Map<string, number>();
  for (const { program, fileKiB } of processes) programs.set(program, Math.max(fileKiB, programs.get(program) ?? 0));
  const parts = [...processes.map(({ ownKiB }) => ownKiB), ...programs.values()];
  return parts.reduce((sum, part) => sum + part, 0);
};

/** The greatest memory of a process and all below it, looked at again and again until `stop`. */
export const watchMemory = (root: number) => {
  let peakKiB = 0;
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      peakKiB = Math.max(peakKiB, memoryOf(await processTree(root)));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return async (): Promise<number> => {
    isStopped = true;
    await watching;
    return peakKiB;
  };
};
