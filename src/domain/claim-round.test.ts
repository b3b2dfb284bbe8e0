import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CallLimits, entryOf, type Queue, type RoundStart, startRound } from './claim-round.ts';

const FREE: CallLimits = { maxConcurrentCalls: null, callsPerSecond: null };
const queue = (seq: number, changes: Partial<Queue> = {}): Queue => ({
  seq,
  applicationId: `a${seq}`,
  route: 'r',
  trunkIds: ['t'],
  priority: 1,
  limits: FREE,
  ...changes,
});
const round = (queues: readonly Queue[], changes: Partial<RoundStart> = {}) =>
  startRound({
    now: 1000,
    server: FREE,
    trunks: new Map(),
    heldTrunkIds: [],
    destinationSpacingMs: 0,
    queues,
    ledger: new Map(),
    inProgress: new Map(),
    ...changes,
  });

test('passes over queues whose trunks are all held or full, and takes an open trunk of a longer list', () => {
  const both = queue(2, { route: 'both', trunkIds: ['t', 'u'] });
  const inProgress = new Map([[entryOf.trunk('t'), 1]]);
  const trunks = new Map([['t', { ...FREE, maxConcurrentCalls: 1 }]]);
  const full = round([queue(1), both], { trunks, inProgress });
  expect(full.next([queue(1), both])?.seq).toBe(2);
  expect(full.closedTrunks(both)).toEqual(['t']);
  expect(round([both], { heldTrunkIds: ['t', 'u'] }).next([both])).toBeUndefined();
});

test('a queue without trunks minds the limits of server and application alone', () => {
  const direct = queue(1, { trunkIds: [], limits: { ...FREE, maxConcurrentCalls: 1 } });
  const started = round([direct]);
  expect(started.take(direct, null, 'sip:a@x')).toEqual({ at: 1000, latestAt: null });
  expect(started.next([direct])).toBeUndefined();
});

test('writes down paces that there are, turns, and how long the destination rests', () => {
  const server = { ...FREE, callsPerSecond: 10 };
  const started = round([queue(1, { priority: 2 })], { server, destinationSpacingMs: 500 });
  started.take(queue(1, { priority: 2 }), 't', '+1');
  expect([...started.ledger()]).toEqual([
    ['destination +1', { nextAt: 1500, charged: 0 }],
    ['route r', { nextAt: 1000, charged: 1 }],
    ['queue 1', { nextAt: 1000, charged: 0.5 }],
    ['server', { nextAt: 1102, charged: 0 }],
  ]);
});

test('never passes a limit of calls at once, whatever waits', () => {
  const limit = fc.option(fc.integer({ min: 1, max: 5 }));
  const shapes = fc.array(fc.record({ trunk: fc.constantFrom('t', 'u', 'v'), application: limit }), { minLength: 1 });
  fc.assert(
    fc.property(shapes, limit, limit, (shape, ofServer, ofTrunk) => {
      const limitOf = (maxConcurrentCalls: number | null): CallLimits => ({ ...FREE, maxConcurrentCalls });
      const queues = shape.map(({ trunk, application }, seq) =>
        queue(seq, { trunkIds: [trunk], route: trunk, limits: limitOf(application) }),
      );
      const trunks = new Map(['t', 'u', 'v'].map((id) => [id, limitOf(ofTrunk)]));
      const started = round(queues, { server: limitOf(ofServer), trunks });
      const taken: Queue[] = [];
      for (let next = started.next(queues); next && taken.length < 60; next = started.next(queues))
        if (started.take(next, next.trunkIds[0] ?? null, '+1')) taken.push(next);
      const most = (keyOf: (one: Queue) => string) =>
        Math.max(0, ...taken.map((one) => taken.filter((other) => keyOf(other) === keyOf(one)).length));
      expect(taken.length).toBeLessThanOrEqual(ofServer ?? 60);
      expect(most((one) => one.trunkIds[0] ?? '')).toBeLessThanOrEqual(ofTrunk ?? 60);
      for (const one of queues)
        expect(taken.filter(({ seq }) => seq === one.seq).length).toBeLessThanOrEqual(
          one.limits.maxConcurrentCalls ?? 60,
        );
    }),
  );
});
