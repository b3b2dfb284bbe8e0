/**
 * The values of a list to look for, some of them several times: lists of 1, 8, 64, 512 and 4,096 values share five
 * statements, which stay prepared, and whose plans go by the index of the column. That PostgreSQL does not promise of a
 * sub-select while the table is small. The list must not be empty.
 */
export const padded = <T>(values: readonly T[]): readonly T[] => {
  let length = 1;
  while (length < values.length) length *= 8;
  return Array.from({ length: Math.ceil(length / values.length) }, () => values)
    .flat()
    .slice(0, length);
};
