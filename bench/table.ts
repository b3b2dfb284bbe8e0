import type { BenchRow } from './bench.ts';

/** Rows as aligned columns; numbers to the right. */
export const formatTable = (rows: readonly BenchRow[]): string => {
  const names = Object.keys(rows[0] ?? {});
  const columns = names.map((name) => column(name, rows));
  return [0, ...rows.map((_, index) => index + 1)]
    .map((line) =>
      columns
        .map((cells) => cells[line])
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** The cells of one column, its name first, all of one width. */
const column = (name: string, rows: readonly BenchRow[]): readonly string[] => {
  const cells = [name, ...rows.map((row) => String(row[name] ?? ''))];
  const width = Math.max(...cells.map((cell) => cell.length));
  const isNumeric = rows.every((row) => typeof row[name] === 'number');
  return cells.map((cell) => (isNumeric ? cell.padStart(width) : cell.padEnd(width)));
};
