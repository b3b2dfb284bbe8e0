import { readdir, readFile } from 'node:fs/promises';

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly name: string;
  /** Resident; what is shared with others counts in each. */
  readonly memoryKiB: number;
}

/** Null if it ended meanwhile. */
const read = async (id: string): Promise<Process | null> => {
  try {
    const [stat, memory] = [
      await readFile(`/proc/${id}/stat`, 'latin1'),
      await readFile(`/proc/${id}/status`, 'latin1'),
    ];
    const [, name = '', parent = ''] = /^\d+ \((.*)\) \S (\d+)/s.exec(stat) ?? [];
    return {
      id: Number(id),
      parent: Number(parent),
      name,
      memoryKiB: Number(/^VmRSS:\s+(\d+)/m.exec(memory)?.[1] ?? 0),
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

/** The greatest memory of a process and all below it, looked at again and again until `stop`. */
export const watchMemory = (root: number) => {
  let peakKiB = 0;
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      const tree = await processTree(root);
      peakKiB = Math.max(
        peakKiB,
        tree.reduce((sum, { memoryKiB }) => sum + memoryKiB, 0),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return async (): Promise<number> => {
    isStopped = true;
    await watching;
    return peakKiB;
  };
};
