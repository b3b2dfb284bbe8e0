import type { Listing, Page } from '../domain/store-port.ts';

/** All items of a listing, page by page. Only for things an operator makes by hand, such as trunks. */
export const listAll = async <T>(list: (page: Page) => Promise<Listing<T>>): Promise<readonly T[]> => {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Listing<T> = await list({ limit: 100, cursor });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return items;
};
