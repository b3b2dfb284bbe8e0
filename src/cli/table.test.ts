import { expect, test } from 'vitest';
import { type Column, record, table } from './table.ts';

const COLUMNS: readonly Column<{ id: string; name: string; note: string }>[] = [
  ['id', (item) => item.id],
  ['name', (item) => item.name],
  ['note', (item) => item.note],
];

test('columns are as wide as their widest cell, and no line ends in blanks', () => {
  const lines = table(
    [
      { id: '1', name: 'warden', note: 'x' },
      { id: '1000', name: 'a', note: '' },
    ],
    COLUMNS,
  );
  expect(lines).toEqual(['ID    NAME    NOTE', '1     warden  x', '1000  a']);
});

test('a cell cannot break out of its line or reach the terminal raw', () => {
  expect(table([{ id: '1', name: 'a\nb\x1b[2J', note: '' }], COLUMNS)[1]).toBe('1   a\\u000ab\\u001b[2J');
});

test('widths count characters, not UTF-16 units', () => {
  const lines = table(
    [
      { id: '🎧', name: 'a', note: '' },
      { id: 'xy', name: 'b', note: '' },
    ],
    COLUMNS,
  );
  expect(lines.slice(1)).toEqual(['🎧   a', 'xy  b']);
});

test('a record is headings and values', () => {
  expect(record({ id: '7', name: 'warden', note: '-' }, COLUMNS)).toEqual(['id    7', 'name  warden', 'note  -']);
});
