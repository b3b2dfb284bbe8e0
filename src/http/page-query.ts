import { type Static, type TSchema, Type } from 'typebox';
import type { Page } from '../domain/store-port.ts';

export const PageQuery = Type.Object({
  limit: Type.Optional(Type.String({ pattern: '^(?:[1-9][0-9]?|100)$', description: '1 to 100, else 20' })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: '`next` of the page before' })),
});

const DEFAULT_LIMIT = 20;

export const pageOf = ({ limit, cursor }: Static<typeof PageQuery>): Page => ({
  limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
  cursor: cursor ?? null,
});

/** Schema of a list: newest first, `next` null on the last page. */
export const listOf = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), next: Type.Union([Type.String(), Type.Null()]) });
