import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Of the user's own settings, those that say where the data is and what opens it. */
export const DATA_SETTINGS: readonly string[] = ['RINGCAST_DATABASE_URL', 'RINGCAST_OPERATOR_TOKEN'];

/** The environment for children, without the settings that the demo has to choose itself. */
export const childEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
  kept: readonly string[],
): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('RINGCAST_') || kept.includes(name)),
  );

/** What opens the operator API of a server on `dataDirectory`. */
export const operatorTokenIn = async (dataDirectory: string, given: string | undefined): Promise<string> =>
  given?.trim() || (await readFile(join(dataDirectory, 'operator-token'), 'utf8')).trim();
