import { expect, test } from 'vitest';
import { random } from './clock.ts';

test('random octets are as many as asked for and never the same, across refills of the pool too', () => {
  const drawn = Array.from({ length: 2_000 }, () => random.hex(12));
  for (const hex of drawn) expect(hex).toMatch(/^[0-9a-f]{24}$/);
  expect(new Set(drawn).size).toBe(drawn.length);
});

test('more random octets than the pool holds are no zeros', () => {
  const hex = random.hex(10_000);
  expect(hex).toHaveLength(20_000);
  expect(hex).not.toContain('0'.repeat(40));
});

test('random digits are as many as asked for, leading zeros included', () => {
  for (const length of [1, 12, 14, 15, 39]) {
    const drawn = Array.from({ length: 500 }, () => random.digits(length));
    for (const digits of drawn) expect(digits).toMatch(new RegExp(`^[0-9]{${length}}$`));
    expect(drawn.some((digits) => digits.startsWith('0'))).toBe(true);
  }
});
