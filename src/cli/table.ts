import { visible } from './text.ts';

/** A heading and how its cell is read from an item. */
export type Column<T> = readonly [heading: string, cell: (item: T) => string];

const lengthOf = (text: string): number => [...text].length;

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - lengthOf(text)));

const aligned = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => lengthOf(row[at] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** Aligned plain text, headings first; control characters in cells are made visible. */
export const table = <T>(items: readonly T[], columns: readonly Column<T>[]): string[] => {
  const headings = columns.map(([heading]) => heading.toUpperCase());
  return aligned([headings, ...items.map((item) => columns.map(([, cell]) => visible(cell(item))))]);
};

/** One item as aligned lines of heading and value. */
export const record = <T>(item: T, columns: readonly Column<T>[]): string[] =>
  aligned(columns.map(([heading, cell]) => [heading, visible(cell(item))]));
