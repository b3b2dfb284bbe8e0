import { AppError } from '../domain/app-error.ts';
import { MAX_DESTINATIONS } from '../domain/network.ts';
import type { RouteHealth } from '../domain/ports.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import type { Trunk } from '../domain/trunk.ts';
import { notFound } from './fields.ts';
import { whyNotCallable } from './judge-destination.ts';

/** One destination of a list, and where in it: lines and items count from 1. */
export interface ListedDestination {
  readonly line: number;
  readonly value: string;
}

export interface RefusedDestination extends ListedDestination {
  readonly reason: string;
}

export interface ImportReport {
  readonly accepted: number;
  /** Which the network has, or which the list names again. */
  readonly duplicates: number;
  readonly refusedCount: number;
  /** The first `MAX_REPORTED` of them. */
  readonly refused: readonly RefusedDestination[];
}

/** Adds what is listed to a network, part by part: a list that ends early leaves what was before. Throws `not_found`. */
export type ImportDestinations = (networkId: string, listed: AsyncIterable<ListedDestination>) => Promise<ImportReport>;

/** Destinations of one unit of work. */
const PART = 500;
const MAX_REPORTED = 100;
const MAX_SHOWN_LENGTH = 80;

export const createImportDestinations =
  (store: Store, routeHealth: Pick<RouteHealth, 'refresh'>): ImportDestinations =>
  async (networkId, listed) => {
    const report = { accepted: 0, duplicates: 0, refusedCount: 0, refused: [] as RefusedDestination[] };
    const add = async (part: readonly ListedDestination[]): Promise<void> => {
      const { added, refused } = await store.transact((tx) => addPart(tx, networkId, part));
      report.accepted += added;
      report.duplicates += part.length - added - refused.length;
      report.refusedCount += refused.length;
      report.refused.push(...refused.slice(0, MAX_REPORTED - report.refused.length));
    };
    // Before the first line, so that a network that does not exist is told of in any case.
    await add([]);
    for await (const part of inParts(listed)) await add(part);
    routeHealth.refresh();
    return report;
  };

async function* inParts(listed: AsyncIterable<ListedDestination>): AsyncGenerator<readonly ListedDestination[]> {
  let part: ListedDestination[] = [];
  for await (const each of listed) {
    part.push(each);
    if (part.length < PART) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

const addPart = async (tx: Transaction, networkId: string, part: readonly ListedDestination[]) => {
  const trunks = await trunksOf(tx, networkId);
  const judged = part.map((each) => ({ ...each, reason: whyNotCallable(each.value, trunks) }));
  const good = judged.filter(({ reason }) => reason === null);
  const { added, surplus } = await tx.addDestinations(networkId, [...new Set(good.map(({ value }) => value))]);
  const tooMany = new Set(surplus);
  const refused = judged.flatMap(({ line, value, reason }) => {
    const why = reason ?? (tooMany.has(value) ? `is one too many: a network holds ${MAX_DESTINATIONS}` : null);
    return why === null ? [] : [{ line, value: value.slice(0, MAX_SHOWN_LENGTH), reason: why }];
  });
  return { added, refused };
};

const trunksOf = async (tx: Transaction, networkId: string): Promise<readonly Trunk[]> => {
  const routes = await tx.findRoutes(networkId);
  if (!routes) throw notFound('network');
  const trunks = await Promise.all(routes.trunkIds.map((id) => tx.findTrunk(id)));
  return trunks.filter((trunk) => trunk !== null);
};

/** Longest line that is read. */
const MAX_LINE_LENGTH = 4096;
const COLUMN = /^(?:destination|number|phone)$/i;

/**
 * The destinations of a CSV text (RFC 4180, with commas or semicolons): the column that a first line of headings calls
 * `destination`, `number` or `phone`, else the first one. Blank lines are skipped. Throws `invalid_parameter`.
 */
export async function* destinationsOfCsv(text: AsyncIterable<string>): AsyncGenerator<ListedDestination> {
  let line = 0;
  let column = 0;
  for await (const row of linesOf(text)) {
    line += 1;
    const fields = fieldsOf(line === 1 ? row.replace(/^\uFEFF/, '') : row);
    const heading = line === 1 ? fields.findIndex((field) => COLUMN.test(field)) : -1;
    if (heading >= 0) column = heading;
    else if (fields.some((field) => field !== '')) yield { line, value: fields[column] ?? '' };
  }
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH)
      throw new AppError('invalid_parameter', `A line is longer than ${MAX_LINE_LENGTH} characters: this is no CSV.`);
    yield* lines;
  }
  yield rest.replace(/\r$/, '');
}

const fieldsOf = (row: string): readonly string[] =>
  [...row.matchAll(/(?:^|[,;])(?:"((?:[^"]|"")*)"|([^,;]*))/g)].map(([, quoted, bare]) =>
    (quoted?.replaceAll('""', '"') ?? bare ?? '').trim(),
  );

/** The destinations of a JSON list. */
export async function* destinationsOfList(values: readonly string[]): AsyncGenerator<ListedDestination> {
  for (const [at, value] of values.entries()) yield { line: at + 1, value };
}
