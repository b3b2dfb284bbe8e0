import { type Command, InvalidArgumentError } from 'commander';

/** Options of a command over the operator API. */
export const withOperator = (command: Command): Command =>
  command
    .option('--operator-url <url>', 'where the operator API answers (default: http://127.0.0.1:8081)')
    .option('--operator-token <token>', 'its token (default: RINGCAST_OPERATOR_TOKEN, else <data-dir>/operator-token)')
    .option('--data-dir <dir>', "the server's data directory (default: RINGCAST_DATA_DIR, else ./data)")
    .option('--json', "print the API's JSON");

/** Options of a command over the public listener, with an app key. */
export const withAppKey = (command: Command): Command =>
  command
    .option(
      '--url <url>',
      'where the public listener answers (default: RINGCAST_PUBLIC_URL, else http://127.0.0.1:8080)',
    )
    .option('--app-key <key>', 'app key (default: RINGCAST_APP_KEY)')
    .option('--json', "print the API's JSON");

/** Options of a command that lists. */
export const withPaging = (command: Command): Command =>
  command
    .option('--limit <n>', 'how many at most, up to 100', wholeNumber(1, 100))
    .option('--cursor <cursor>', 'where the list before ended');

export interface Paging {
  readonly limit?: number;
  readonly cursor?: string;
}

/** The query of a list, with its question mark if there is one. */
export const pagingQuery = (options: Paging): string => {
  const query = new URLSearchParams();
  if (options.limit !== undefined) query.set('limit', String(options.limit));
  if (options.cursor !== undefined) query.set('cursor', options.cursor);
  return query.size === 0 ? '' : `?${query}`;
};

/** Reads an option that is a whole number; anything else is wrong usage. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^[0-9]+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };

/** Reads an option that is a number of seconds, with decimals. */
export const seconds = (text: string): number => {
  const value = Number(text);
  if (/^[0-9]+(\.[0-9]+)?$/.test(text) && value <= 3600) return value;
  throw new InvalidArgumentError('Expected a number of seconds from 0 to 3600.');
};

/** Reads an option that may be given several times. */
export const repeated = (text: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  text,
];

/** A value that may be taken away with `none`: undefined stays undefined. (Commander makes '' of a parser's null.) */
export const orNone = <T extends string | number>(value: T | undefined): T | null | undefined =>
  value === 'none' ? null : value;

/** An id as one segment of a path. */
export const segment = encodeURIComponent;

/** The members of `fields` that were given. */
export const onlyGiven = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
