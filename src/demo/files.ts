import { access } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../cli/failure.ts';
import { visible } from '../cli/text.ts';

/** An audio file that becomes a clip. */
export interface DemoFile {
  readonly path: string;
  readonly name: string;
}

const sample = (name: string): DemoFile => ({
  path: fileURLToPath(new URL(`../../assets/${name}`, import.meta.url)),
  name,
});

const isReadable = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** npm runs scripts in the package's folder and keeps the one where it was called in INIT_CWD: both are looked at. */
const locate = async (file: string, calledIn: string | undefined): Promise<DemoFile> => {
  for (const path of [resolve(file), resolve(calledIn ?? '.', file)]) {
    if (await isReadable(path)) return { path, name: basename(file) };
  }
  throw new Failure(`${visible(file)} cannot be read: is the path right?`, 2);
};

/** The clips of a demo: the files given, and the shipped samples for what is missing of two. */
export const demoFiles = async (files: readonly string[], calledIn: string | undefined): Promise<DemoFile[]> => {
  const [first, second] = [sample('sample-1.wav'), sample('sample-2.wav')];
  if (files.length === 0) return [first, second];
  const own = await Promise.all(files.map((file) => locate(file, calledIn)));
  return own.length === 1 ? [...own, second] : own;
};
