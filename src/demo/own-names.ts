import { basename, dirname, join, relative } from 'node:path';
import { shellWord } from '../cli/shell.ts';

/** How a person starts this program again from where they are. */
export interface OwnNames {
  /** `./ringcast` in a checkout, `ringcast` when installed. */
  readonly ringcast: string;
  /** The line that starts the server on a data directory. */
  readonly serve: string;
}

/** Paths of this run. `executable` ends in `.ts` in a checkout and in `.js` when installed. */
export interface Whereabouts {
  readonly executable: string;
  readonly workingDirectory: string;
  readonly dataDirectory: string;
}

const isUsualData = ({ workingDirectory, dataDirectory }: Whereabouts): boolean =>
  relative(workingDirectory, dataDirectory) === 'data';

const commandIn = ({ executable, workingDirectory }: Whereabouts): string => {
  if (!basename(executable).endsWith('.ts')) return 'ringcast';
  const path = relative(workingDirectory, join(dirname(dirname(executable)), 'ringcast'));
  return shellWord(path.includes('/') ? path : `./${path}`);
};

/** Names that work as printed in the working directory. */
export const ownNames = (where: Whereabouts): OwnNames => {
  const ringcast = commandIn(where);
  if (isUsualData(where) && ringcast === './ringcast') return { ringcast, serve: 'npm start' };
  const data = isUsualData(where)
    ? ''
    : ` --data-dir ${shellWord(relative(where.workingDirectory, where.dataDirectory))}`;
  return { ringcast, serve: `${ringcast} serve${data}` };
};
