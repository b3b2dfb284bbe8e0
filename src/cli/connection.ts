import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Api, createApi } from './api-client.ts';
import { Failure } from './failure.ts';

/** Where the servers are and what opens them: the options that the commands share. */
export interface ServerOptions {
  readonly url?: string;
  readonly operatorUrl?: string;
  readonly operatorToken?: string;
  readonly dataDir?: string;
  readonly appKey?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const given = (...candidates: (string | undefined)[]): string | undefined =>
  candidates.find((candidate) => candidate !== undefined && candidate.trim() !== '')?.trim();

const baseUrl = (option: string, value: string): string => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new Failure(`${option} must be an http or https URL such as http://127.0.0.1:8080.`, 2);
  }
  return url.href.replace(/\/+$/, '');
};

/** Base URL of the public listener, without a slash at its end. */
export const publicUrl = (options: ServerOptions, environment: Environment = process.env): string =>
  baseUrl('--url', given(options.url, environment.RINGCAST_PUBLIC_URL) ?? 'http://127.0.0.1:8080');

/** Where a grant is used: its `uri` as it was answered, below the public listener, or a whole URL. */
export const grantUrl = (uri: string, options: ServerOptions, environment: Environment = process.env): string =>
  baseUrl('--grant', uri.startsWith('/') ? publicUrl(options, environment) + uri : uri);

/** The folder of the server's data, for its operator token. */
export const dataDirectory = (options: ServerOptions, environment: Environment = process.env): string =>
  given(options.dataDir, environment.RINGCAST_DATA_DIR) ?? './data';

const readToken = async (directory: string): Promise<string> => {
  const path = join(directory, 'operator-token');
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    // Absent or not readable, the fix is the same.
    throw new Failure(
      `no operator token: ${path} cannot be read; give --operator-token, RINGCAST_OPERATOR_TOKEN, or the server's --data-dir.`,
    );
  }
};

const fitForHeader = (what: string, credential: string): string => {
  if (/^[\x21-\x7e]+$/.test(credential)) return credential;
  throw new Failure(`the ${what} holds characters that a header cannot carry: give it exactly as it was shown.`, 2);
};

/** The operator token: of the option, the environment, or the server's data directory. */
export const operatorToken = async (
  options: ServerOptions,
  environment: Environment = process.env,
): Promise<string> => {
  const token = given(options.operatorToken, environment.RINGCAST_OPERATOR_TOKEN);
  return fitForHeader('operator token', token ?? (await readToken(dataDirectory(options, environment))));
};

/** The operator API. Throws a Failure if there is no token. */
export const operatorApi = async (options: ServerOptions, environment: Environment = process.env): Promise<Api> =>
  createApi({
    baseUrl: baseUrl('--operator-url', given(options.operatorUrl) ?? 'http://127.0.0.1:8081'),
    bearer: await operatorToken(options, environment),
    onUnauthorized: 'give the right --operator-token, RINGCAST_OPERATOR_TOKEN or --data-dir',
  });

/** The app key. Throws a Failure of usage if none was given. */
export const appKey = (options: ServerOptions, environment: Environment = process.env): string => {
  const key = given(options.appKey, environment.RINGCAST_APP_KEY);
  if (key === undefined) {
    throw new Failure('no app key: give --app-key or RINGCAST_APP_KEY (`ringcast app create` shows one).', 2);
  }
  return key;
};

/** The application API, with the app key as its bearer token. */
export const applicationApi = (options: ServerOptions, environment: Environment = process.env): Api =>
  createApi({
    baseUrl: publicUrl(options, environment),
    bearer: fitForHeader('app key', appKey(options, environment)),
    onUnauthorized: 'give the right --app-key or RINGCAST_APP_KEY',
  });

/** The seed interface: the app key travels in the form, no header is sent. */
export const seedApi = (options: ServerOptions, environment: Environment = process.env): Api =>
  createApi({ baseUrl: publicUrl(options, environment), bearer: null, onUnauthorized: '' });
