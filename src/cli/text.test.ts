import { expect, test } from 'vitest';
import { inOneCell, inSeconds, localTime, terminalSafeJson, visible } from './text.ts';

test('control and format characters become escapes', () => {
  expect(visible('a\x1b[31mred\x07\u009b2J\u202eb\nc')).toBe('a\\u001b[31mred\\u0007\\u009b2J\\u202eb\\u000ac');
});

test('ordinary text of any script stays as it is', () => {
  expect(visible('Grüße, 世界 🎧')).toBe('Grüße, 世界 🎧');
});

test('JSON keeps its meaning and loses the controls that JSON leaves raw', () => {
  const json = '{"name":"a\u009b2J\u007f"}';
  const safe = terminalSafeJson(json);
  expect(safe).toBe('{"name":"a\\u009b2J\\u007f"}');
  expect(JSON.parse(safe)).toEqual(JSON.parse(json));
});

test('times of the API are shown in local time', () => {
  const at = new Date(2026, 10, 21, 2, 36, 9);
  expect(localTime(at.toISOString())).toBe('2026-11-21 02:36:09');
  expect(localTime(null)).toBe('-');
  expect(localTime(undefined)).toBe('-');
});

test('a time that is none is shown as it came, without its controls', () => {
  expect(localTime('soon\x1b')).toBe('soon\\u001b');
});

test('durations and lists for people', () => {
  expect(inSeconds(3449)).toBe('3.4 s');
  expect(inOneCell([])).toBe('-');
  expect(inOneCell(['a', 'b'])).toBe('a, b');
});
