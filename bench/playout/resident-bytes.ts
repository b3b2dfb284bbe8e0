import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Memory of the process that is in use, without what its main thread has no more use for. */
export const residentBytes = (): number => {
  collectGarbage();
  return process.memoryUsage.rss();
};
