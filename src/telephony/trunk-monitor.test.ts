import { describe, expect, test } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { createLoginRefusals } from './login-refusals.ts';
import type { ProbeResult } from './probe.ts';
import { createTrunkEvidence } from './trunk-evidence.ts';
import { createTrunkMonitor, type MonitoredTrunk } from './trunk-monitor.ts';

const trunk = (id: string, host = `${id}.test`, healthCheck: MonitoredTrunk['healthCheck'] = 'options') => ({
  id,
  host,
  port: 5060,
  transport: 'udp' as const,
  healthCheck,
});

const createBench = (trunks: MonitoredTrunk[], directUris: string[] = []) => {
  const clock = createVirtualClock();
  const asked: { readonly atMs: number; readonly host: string }[] = [];
  const changes: string[] = [];
  const isUp = new Map<string, boolean>();
  const problems = new Map<string, string>();
  const logged: string[] = [];
  let listProblem: Error | null = null;
  const refusals = createLoginRefusals(() => clock.nowMs);
  const monitor = createTrunkMonitor({
    refusals,
    evidence: createTrunkEvidence(() => clock.nowMs),
    registration: () => null,
    // As the real one: an answer after 10 ms, or none for 4 s.
    probe: ({ host }) => {
      asked.push({ atMs: clock.nowMs, host });
      const answers = isUp.get(host) ?? true;
      const result: ProbeResult = {
        health: answers ? 'up' : 'down',
        retryAfterMs: null,
        problem: problems.get(host) ?? null,
      };
      return new Promise((resolve) => clock.wakeAfter(answers ? 10 : 4_000, () => resolve(result)));
    },
    listTargets: async () => {
      if (listProblem) throw listProblem;
      return { trunks: [...trunks], directUris: [...directUris] };
    },
    wakeAfter: clock.wakeAfter,
    log: { ...QUIET_LOG, warn: (_words, text) => logged.push(text), info: (_words, text) => logged.push(text) },
    onChange: (id, state) => changes.push(`${clock.nowMs} ${id} ${state}`),
  });
  const failListing = (problem: Error | null): void => {
    listProblem = problem;
  };
  return { clock, asked, changes, isUp, problems, logged, refusals, monitor, failListing };
};
const routes = (trunkIds: string[], directUris: string[] = []) => ({ trunkIds, directUris, destinationCount: 1 });

describe('trunks', () => {
  test('are asked when first seen, then every 30 s while up', async () => {
    const { monitor, clock, asked } = createBench([trunk('a')]);
    await monitor.start();
    expect(monitor.trunkState('a')).toBe('unknown');
    await clock.advance(95_000);
    expect(monitor.trunkState('a')).toBe('up');
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 30_010, 60_020, 90_030]);
    monitor.close();
  });

  test('no answer in 4 s is down; asked every 5 s until up again', async () => {
    const { monitor, clock, asked, isUp, changes } = createBench([trunk('a')]);
    isUp.set('a.test', false);
    await monitor.start();
    await clock.advance(3_999);
    expect(monitor.trunkState('a')).toBe('unknown');
    await clock.advance(8_000);
    expect(monitor.trunkState('a')).toBe('down');
    isUp.set('a.test', true);
    await clock.advance(10_000);
    expect(monitor.trunkState('a')).toBe('up');
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 5_000, 10_000, 15_000]);
    expect(changes).toEqual(['4000 a down', '15010 a up']);
    monitor.close();
  });

  test('that cannot be reached say why, and one line of the log tells so, not one for each question', async () => {
    const { monitor, clock, asked, isUp, problems, logged } = createBench([trunk('a')]);
    isUp.set('a.test', false);
    problems.set('a.test', 'No TLS connection.');
    await monitor.start();
    await clock.advance(60_000);
    expect([monitor.trunkState('a'), monitor.stateReason('a'), monitor.isDegraded('a')]).toEqual([
      'down',
      'No TLS connection.',
      false,
    ]);
    expect(asked.length).toBeGreaterThan(10);
    expect(logged).toEqual(['trunk state changed']);
    problems.clear();
    isUp.set('a.test', true);
    await clock.advance(10_000);
    expect([monitor.trunkState('a'), monitor.stateReason('a')]).toEqual(['up', null]);
    expect(logged).toHaveLength(2);
    monitor.close();
  });

  test('that are not to be asked are up, and never are', async () => {
    const { monitor, clock, asked } = createBench([trunk('a', 'a.test', 'none')]);
    await monitor.start();
    await clock.advance(60_000);
    expect([monitor.trunkState('a'), asked]).toEqual(['up', []]);
    monitor.close();
  });

  test('at the address of a direct destination are asked once with it', async () => {
    const { monitor, clock, asked } = createBench([trunk('a', 'x.test')], ['sip:bob@x.test:5060']);
    await monitor.start();
    await clock.advance(1_000);
    expect(asked).toHaveLength(1);
    monitor.close();
  });

  test('at one address are asked once', async () => {
    const { monitor, clock, asked } = createBench([trunk('a', 'x.test'), trunk('b', 'X.test')]);
    await monitor.start();
    await clock.advance(1_000);
    expect([monitor.trunkState('a'), monitor.trunkState('b'), asked.length]).toEqual(['up', 'up', 1]);
    monitor.close();
  });
});

describe('a network', () => {
  test('is callable while any trunk of it is not known to be down', async () => {
    const { monitor, clock, isUp } = createBench([trunk('a'), trunk('b')]);
    isUp.set('a.test', false);
    await monitor.start();
    await clock.advance(5_000);
    expect([['a'], ['a', 'b'], ['stranger']].map((ids) => monitor.isCallable(routes(ids)))).toEqual([
      false,
      true,
      true,
    ]);
    monitor.close();
  });

  test('without trunks depends on its direct destinations', async () => {
    const uris = ['sip:x@down.test', 'sip:y@up.test:5070'];
    const { monitor, clock, isUp } = createBench([], uris);
    isUp.set('down.test', false);
    await monitor.start();
    await clock.advance(5_000);
    const isCallable = (...directUris: string[]): boolean => monitor.isCallable(routes([], directUris));
    expect([isCallable('sip:other@down.test'), isCallable(...uris), isCallable('sip:new@new.test')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(isCallable()).toBe(false);
    monitor.close();
  });

  test('a destination that cannot be asked is not asked, and counts as up', async () => {
    const { monitor, clock, asked } = createBench([], ['sips:x@tls.test;transport=udp', 'sip:x@a.test;transport=ws']);
    await monitor.start();
    await clock.advance(5_000);
    expect([monitor.isCallable(routes([], ['sips:x@tls.test;transport=udp'])), asked]).toEqual([true, []]);
    monitor.close();
  });
});

describe('changes', () => {
  test('refresh asks new targets at once and forgets old ones', async () => {
    const trunks = [trunk('a')];
    const { monitor, clock, asked } = createBench(trunks);
    await monitor.start();
    await clock.advance(1_000);
    trunks.splice(0, 1, trunk('b'));
    monitor.refresh();
    monitor.refresh();
    await clock.advance(40_000);
    expect(asked).toEqual([
      { atMs: 0, host: 'a.test' },
      { atMs: 1_000, host: 'b.test' },
      { atMs: 31_010, host: 'b.test' },
    ]);
    expect([monitor.trunkState('a'), monitor.trunkState('b')]).toEqual(['unknown', 'up']);
    monitor.close();
  });

  test('a listing that fails is tried again', async () => {
    const { monitor, clock, failListing } = createBench([trunk('a')]);
    failListing(new Error('the store is away'));
    await monitor.start();
    await clock.advance(1_000);
    failListing(null);
    await clock.advance(5_000);
    expect(monitor.trunkState('a')).toBe('up');
    monitor.close();
  });

  test('after close nothing is asked and no timer waits', async () => {
    const { monitor, clock, asked } = createBench([trunk('a')]);
    await monitor.start();
    await clock.advance(1_000);
    monitor.close();
    monitor.refresh();
    await clock.runOut();
    expect([asked.length, clock.waiting]).toEqual([1, 0]);
  });
});

describe('a trunk that refused user name or password', () => {
  test('is down, with the reason, until it may be tried again, however well it answers', async () => {
    const { monitor, clock, refusals } = createBench([trunk('a'), trunk('b')]);
    await monitor.start();
    await clock.advance(1_000);
    refusals.refused('a');
    const seen = () => [monitor.trunkState('a'), monitor.admission('a'), monitor.isCallable(routes(['a']))];
    expect(seen()).toEqual(['down', 'held', false]);
    expect(monitor.stateReason('a')).toBe('The trunk refused the user name or password: it is left alone for 5 s.');
    expect(monitor.isCallable(routes(['a', 'b']))).toBe(true);
    await clock.advance(5_000);
    expect(seen()).toEqual(['up', 'trial', true]);
    expect(monitor.stateReason('a')).toBe('The trunk refused the user name or password: the next call tries again.');
    refusals.accepted('a');
    expect([...seen(), monitor.stateReason('a')]).toEqual(['up', 'open', true, null]);
    monitor.close();
  });

  test('starts anew when it is changed, and is forgotten when it is gone', async () => {
    const trunks = [trunk('a'), trunk('b')];
    const { monitor, clock, refusals } = createBench(trunks);
    await monitor.start();
    for (const id of ['a', 'b']) refusals.refused(id);
    monitor.refresh('a');
    expect([refusals.admission('a'), refusals.admission('b')]).toEqual(['open', 'held']);
    trunks.pop();
    monitor.refresh();
    await clock.advance(1);
    expect(refusals.admission('b')).toBe('open');
    monitor.close();
  });
});
