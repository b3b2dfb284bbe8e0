import { AppError } from '../domain/app-error.ts';
import type { Loudness } from '../domain/media.ts';
import type { Context } from './context.ts';

/** JSON text of a column that only this store writes. */
export const parseJson = <T>(text: string): T => JSON.parse(text) as T;

/** Items of rows grouped by the key of each row, in the order given. */
export const groupBy = <R, K, T>(rows: readonly R[], keyOf: (row: R) => K, itemOf: (row: R) => T) => {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(itemOf(row));
    else groups.set(keyOf(row), [itemOf(row)]);
  }
  return groups;
};

export type IdKind = 'application' | 'app_key' | 'network' | 'trunk' | 'media' | 'webhook';

const nextId = async ({ db }: Context, kind: IdKind): Promise<string> => {
  const { last } = await db
    .updateTable('id_sequence')
    .set((eb) => ({ last: eb('last', '+', 1) }))
    .where('kind', '=', kind)
    .returning('last')
    .executeTakeFirstOrThrow();
  return String(last);
};

/**
 * Inserts a row under `id`, or under the next decimal id that is free. `insert` tells whether the id was free.
 * Throws `duplicate_id`.
 */
export const insertUnderId = async (
  context: Context,
  kind: IdKind,
  id: string | null,
  insert: (id: string) => Promise<boolean>,
): Promise<string> => {
  if (id !== null && !(await insert(id)))
    throw new AppError('duplicate_id', `The id ${id} is taken. Choose another one or leave it out.`, { field: 'id' });
  if (id !== null) return id;
  for (;;) {
    const allocated = await nextId(context, kind);
    if (await insert(allocated)) return allocated;
  }
};

/** Throws `invalid_field` if `ids` names a row that `table` does not hold. */
export const requireRows = async (
  { db, locks }: Context,
  table: 'applications' | 'trunks' | 'media',
  ids: readonly string[],
  field: string,
): Promise<void> => {
  if (ids.length === 0) return;
  const named = db.selectFrom(table).select('id').where('id', 'in', ids);
  const rows = await locks.keep(named, table).execute();
  const known = new Set(rows.map((row) => row.id));
  const missing = ids.find((id) => !known.has(id));
  if (missing === undefined) return;
  throw new AppError('invalid_field', `${field}: there is no ${SINGULAR[table]} ${missing}.`, { field });
};

const SINGULAR = { applications: 'application', trunks: 'trunk', media: 'media' } as const;

/** False for a text with NUL, which PostgreSQL does not even take in a question: no id holds one. */
export const isStorable = (text: string): boolean => !text.includes('\0');

/** How loud a clip is, as its row tells. */
export const loudnessOf = (json: string | null): Loudness | null => (json === null ? null : parseJson<Loudness>(json));
