import type { BadFile } from './bad-file.ts';
import { bombs } from './bombs.ts';
import { disguises } from './disguises.ts';
import { makeGoodFiles } from './good-files.ts';
import { lyingFiles } from './lying-headers.ts';
import { lyingWavFiles } from './lying-wav.ts';
import { polyglots, strangeNames } from './polyglots.ts';
import { rubbish } from './rubbish.ts';
import { headsOnly, truncatedFiles } from './truncated.ts';

/** Every bad file. Those that point somewhere point to `url`; `folder` is for making them. */
export const makeCorpus = async (folder: string, url: string): Promise<readonly BadFile[]> => {
  const good = await makeGoodFiles(folder);
  return [
    ...truncatedFiles(good),
    ...headsOnly(),
    ...lyingWavFiles(good),
    ...lyingFiles(good),
    ...(await bombs(good, folder)),
    ...disguises(url),
    ...polyglots(good, url),
    ...strangeNames(good),
    ...rubbish(),
  ];
};
