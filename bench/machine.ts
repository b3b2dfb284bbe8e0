import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

export interface Machine {
  readonly cpuModel: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
  readonly kernel: string;
}

/** What figures depend on. */
export const describeMachine = (): Machine => ({
  cpuModel: cpus()[0]?.model.trim() || 'unknown CPU',
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  kernel: `${type()} ${release()}`,
});

export const machineLine = ({ cpuModel, cores, memoryGiB, node, kernel }: Machine): string =>
  `${cpuModel}, ${cores} cores, ${memoryGiB} GiB, Node ${node}, ${kernel}`;
