import { expect, test } from 'vitest';
import { cleanReason } from './reason-text.ts';

test.each([
  ['Busy Here', 'Busy Here'],
  ['  a\u0007\u001b[31m b ', 'a [31m b'],
  ['line\u2028line\u202eevil', 'line line evil'],
  ['x'.repeat(300), 'x'.repeat(200)],
  ['Занято', 'Занято'],
])('%j is kept as %j', (text, kept) => {
  expect(cleanReason(text)).toBe(kept);
});

test('a cut through a surrogate pair leaves well-formed text', () => {
  expect(cleanReason(`${'x'.repeat(199)}😀`).isWellFormed()).toBe(true);
});
