import { expect, test } from 'vitest';
import type { Admission, Trunk } from '../domain/trunk.ts';
import { pickTrunk } from './pick-trunk.ts';

const trunk = (id: string, allowedPrefixes: readonly string[] = ['+']): Trunk => ({
  id,
  host: '127.0.0.1',
  port: 5060,
  transport: 'udp',
  register: false,
  srtp: 'off',
  comedia: false,
  username: null,
  hasPassword: false,
  callerId: null,
  allowedPrefixes,
  maxConcurrentCalls: null,
  callsPerSecond: null,
  codecs: ['PCMU'],
  healthCheck: 'none',
  createdAt: 0,
});

const pick = (
  ids: readonly string[],
  state: {
    down?: readonly string[];
    degraded?: readonly string[];
    admissions?: Readonly<Record<string, Admission>>;
    trunks?: readonly Trunk[];
  },
) =>
  pickTrunk(ids, '+15551230000', state.trunks ?? ids.map((id) => trunk(id)), {
    isUp: (id) => !state.down?.includes(id),
    isDegraded: (id) => state.degraded?.includes(id) ?? false,
    isOpen: (id) => state.admissions?.[id] !== 'held',
    admission: (id) => state.admissions?.[id] ?? 'open',
  });

test.each([
  ['the first that is up', ['a', 'b', 'c'], { down: ['a'] }, 'b'],
  ['the first if none is up', ['a', 'b'], { down: ['a', 'b'] }, 'a'],
  ['one that is open before one on trial', ['a', 'b'], { admissions: { a: 'trial' } }, 'b'],
  ['one that is well before one that is degraded', ['a', 'b'], { degraded: ['a'] }, 'b'],
  ['one that is degraded before one on trial', ['a', 'b'], { degraded: ['b'], admissions: { a: 'trial' } }, 'b'],
  ['one on trial before one that is down', ['a', 'b'], { down: ['a'], admissions: { b: 'trial' } }, 'b'],
  ['one that is down before one that is held', ['a', 'b'], { down: ['b'], admissions: { a: 'held' } }, 'b'],
  ['one that allows the number', ['a', 'b'], { trunks: [trunk('a', ['+44']), trunk('b')] }, 'b'],
  ['one that does not allow it if none does, to be refused', ['a'], { trunks: [trunk('a', ['+44'])] }, 'a'],
] as const)('takes %s', (_, ids, state, trunkId) => {
  expect(pick(ids, state)).toEqual({ trunkId });
});

test('takes none now if every one that allows the number is held', () => {
  const trunks = [trunk('a'), trunk('b', ['+44'])];
  expect(pick(['a', 'b'], { trunks, admissions: { a: 'held' } })).toBeNull();
});

test('takes no trunk for a network without any', () => {
  expect(pick([], {})).toEqual({ trunkId: null });
});
