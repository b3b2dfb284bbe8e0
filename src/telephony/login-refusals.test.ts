import { expect, test } from 'vitest';
import { createLoginRefusals } from './login-refusals.ts';

const createBench = () => {
  let nowMs = 0;
  const refusals = createLoginRefusals(() => nowMs);
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { refusals, pass };
};

test('the wait doubles from 5 s to 5 min with each refusal, and one call is let through after it', () => {
  const { refusals, pass } = createBench();
  const holds = Array.from({ length: 9 }, () => {
    refusals.refused('a');
    const heldForMs = refusals.heldForMs('a');
    expect(refusals.admission('a')).toBe('held');
    pass(heldForMs);
    expect(refusals.admission('a')).toBe('trial');
    return heldForMs / 1000;
  });
  expect(holds).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  refusals.accepted('a');
  expect(refusals.admission('a')).toBe('open');
  refusals.refused('a');
  expect(refusals.heldForMs('a')).toBe(5_000);
});

test('calls that are refused together count as one refusal', () => {
  const { refusals, pass } = createBench();
  refusals.refused('a');
  pass(1_000);
  refusals.refused('a');
  expect(refusals.heldForMs('a')).toBe(4_000);
});

test('trunks do not touch one another', () => {
  const { refusals } = createBench();
  refusals.refused('a');
  expect(refusals.admission('b')).toBe('open');
  refusals.forget('b');
  refusals.accepted('b');
  expect(refusals.admission('a')).toBe('held');
});
