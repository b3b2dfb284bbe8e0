import { describe, expect, test } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createTelephonyBench, PEER } from '../../test/support/telephony-bench.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import type { TrunkRegistration } from '../domain/trunk.ts';
import { createLoginRefusals } from './login-refusals.ts';
import type { ProbeResult } from './probe.ts';
import { type CallSign, createTrunkEvidence, FAILING_STREAK, LONGEST_LEAVE_MS } from './trunk-evidence.ts';
import { createTrunkMonitor, type MonitoredTrunk, SILENT_REST_MS } from './trunk-monitor.ts';

const ALIVE: CallSign = { kind: 'alive' };
const SILENT: CallSign = { kind: 'silent' };
const failing = (status: number, retryAfterMs: number | null = null): CallSign => ({
  kind: 'failing',
  status,
  retryAfterMs,
});

/** A monitor of the trunk `t1`, which answers OPTIONS as `found` says, 10 ms later. */
const monitorOf = async (healthCheck: MonitoredTrunk['healthCheck'] = 'options') => {
  const clock = createVirtualClock();
  const asked: number[] = [];
  const answer: { found: ProbeResult; registration: TrunkRegistration | null } = {
    found: { health: 'up', retryAfterMs: null, problem: null },
    registration: null,
  };
  const monitor = createTrunkMonitor({
    refusals: createLoginRefusals(() => clock.nowMs),
    evidence: createTrunkEvidence(() => clock.nowMs),
    registration: () => answer.registration,
    probe: () => {
      asked.push(clock.nowMs);
      return new Promise((resolve) => clock.wakeAfter(10, () => resolve(answer.found)));
    },
    listTargets: async () => ({
      trunks: [{ id: 't1', host: 't1.test', port: null, transport: 'udp' as const, healthCheck }],
      directUris: [],
    }),
    wakeAfter: clock.wakeAfter,
    log: QUIET_LOG,
  });
  await monitor.start();
  await clock.advance(1_000);
  const note = (...signs: readonly CallSign[]): void => {
    for (const sign of signs) monitor.noteCall('t1', sign);
  };
  const seen = () => [monitor.trunkState('t1'), monitor.isDegraded('t1'), monitor.admission('t1')];
  const isCallable = (): boolean => monitor.isCallable({ trunkIds: ['t1'], directUris: [], destinationCount: 1 });
  return { clock, asked, answer, monitor, note, seen, isCallable };
};

const WELL = ['up', false, 'open'];

describe('a call without any SIP answer', () => {
  test('is down at once, and asked by OPTIONS at once; degraded until a call is answered', async () => {
    const { clock, asked, monitor, note, seen, isCallable } = await monitorOf();
    note(SILENT);
    expect([seen(), isCallable()]).toEqual([['down', false, 'open'], false]);
    await clock.advance(10);
    expect(asked).toEqual([0, 1_000]);
    expect(seen()).toEqual(['up', true, 'open']);
    expect(monitor.stateReason('t1')).toBe('The last call over the trunk got no SIP answer.');
    note(SILENT);
    expect(seen()).toEqual(['up', true, 'open']);
    note(ALIVE);
    expect([seen(), monitor.stateReason('t1')]).toEqual([WELL, null]);
    monitor.close();
  });

  test('leaves a trunk without health check alone for a while, then one call tries it', async () => {
    const { clock, note, seen, isCallable, monitor } = await monitorOf('none');
    note(SILENT);
    expect([seen(), isCallable()]).toEqual([['down', false, 'held'], false]);
    await clock.advance(SILENT_REST_MS);
    expect([seen(), isCallable()]).toEqual([['up', true, 'trial'], true]);
    note(ALIVE);
    expect(seen()).toEqual(WELL);
    monitor.close();
  });
});

describe('server errors', () => {
  test('of many calls in a row degrade the trunk, until one is answered', async () => {
    const { note, seen, monitor } = await monitorOf();
    note(...Array.from({ length: FAILING_STREAK - 1 }, () => failing(500)));
    expect(seen()).toEqual(WELL);
    note(failing(502));
    expect(seen()).toEqual(['up', true, 'open']);
    expect(monitor.stateReason('t1')).toBe('The last 5 calls over the trunk ended with a server error (502).');
    note(ALIVE);
    expect(seen()).toEqual(WELL);
    monitor.close();
  });

  test('a 503 with Retry-After leaves it alone for that time, whatever calls under way show', async () => {
    const { clock, note, seen, isCallable, monitor } = await monitorOf();
    note(failing(503, 20_000), ALIVE);
    expect([seen(), isCallable()]).toEqual([['down', false, 'held'], false]);
    expect(monitor.stateReason('t1')).toMatch(/503 and asked to be left alone: no call goes over it for 20 s/);
    await clock.advance(20_000);
    expect(seen()).toEqual(WELL);
    note(failing(503, 86_400_000));
    await clock.advance(LONGEST_LEAVE_MS);
    expect(seen()).toEqual(WELL);
    note(failing(500, 20_000));
    expect(seen()).toEqual(WELL);
    monitor.close();
  });
});

test('a trunk of which one address is dead is degraded, and so is one that is not registered', async () => {
  const { clock, answer, seen, monitor } = await monitorOf();
  answer.registration = { state: 'failed', expiresAt: null, reason: '403 Forbidden' };
  expect([seen(), monitor.stateReason('t1')]).toEqual([['up', true, 'open'], 'It is not registered: 403 Forbidden']);
  answer.registration = { state: 'registered', expiresAt: 1, reason: null };
  expect(seen()).toEqual(WELL);
  answer.found = { health: 'degraded', retryAfterMs: null, problem: null };
  await clock.advance(31_000);
  expect([seen(), monitor.stateReason('t1')]).toEqual([
    ['up', true, 'open'],
    'Some of its addresses do not answer OPTIONS.',
  ]);
  monitor.close();
});

test('a trunk that answers OPTIONS by 503 with Retry-After is asked again no sooner', async () => {
  const { clock, asked, answer, monitor } = await monitorOf();
  answer.found = { health: 'down', retryAfterMs: 60_000, problem: null };
  await clock.advance(30_000);
  answer.found = { health: 'up', retryAfterMs: null, problem: null };
  await clock.advance(61_000);
  expect(asked).toEqual([0, 30_010, 90_020]);
  expect(monitor.trunkState('t1')).toBe('up');
  monitor.close();
});

describe('what a call shows', () => {
  const trunk = { id: 't1', host: PEER.address, port: PEER.port, transport: 'udp', credentials: null } as const;
  test.each([
    ['an answer', { tryingAfterMs: 0, ringAfterMs: 10, answerAfterMs: 100 }, ['t1 alive', 't1 alive']],
    ['busy', { refuse: { status: 486, afterMs: 0 } }, ['t1 alive']],
    ['a server error, after 100', { tryingAfterMs: 0, refuse: { status: 500, afterMs: 10 } }, ['t1 failing']],
    ['nothing', {}, ['t1 silent']],
  ])('%s', async (_, script, signs) => {
    const bench = createTelephonyBench({ script });
    if (signs.includes('t1 silent')) bench.dropFirst('INVITE', 100);
    await bench.finish(bench.place({ trunk }));
    expect(bench.signs).toEqual(signs);
  });
});
