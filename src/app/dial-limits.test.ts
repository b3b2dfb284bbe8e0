import { describe, expect, it } from 'vitest';
import type { Trunk } from '../domain/trunk.ts';
import { createDialLimits } from './dial-limits.ts';

const trunk = (id: string, limits: Partial<Trunk>): Trunk => ({
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
  allowedPrefixes: ['+'],
  maxConcurrentCalls: null,
  callsPerSecond: null,
  codecs: ['PCMU'],
  healthCheck: 'none',
  createdAt: 0,
  ...limits,
});

describe('dial limits', () => {
  it('gives the server its calls a second and at once', () => {
    const limits = createDialLimits({ maxConcurrentCalls: 2, callsPerSecond: 10 });
    expect(limits.room(0)).toBe(1);
    limits.started(null, 0);
    expect([limits.room(99), limits.room(100)]).toEqual([0, 1]);
    limits.started(null, 100);
    expect(limits.room(60_000)).toBe(0);
    limits.ended(null);
    expect(limits.room(60_000)).toBe(1);
  });

  it('names a trunk that is at its limit, and leaves room for the others', () => {
    const limits = createDialLimits({ maxConcurrentCalls: 100, callsPerSecond: 1000 });
    limits.setTrunks([trunk('a', { maxConcurrentCalls: 1 }), trunk('b', {})]);
    limits.started('a', 0);
    expect(limits.saturated(10)).toEqual(['a']);
    expect(limits.room(1000)).toBeGreaterThan(1);
    limits.ended('a');
    expect(limits.saturated(10)).toEqual([]);
  });

  it('lets one claim take no more than any trunk has room for', () => {
    const limits = createDialLimits({ maxConcurrentCalls: 100, callsPerSecond: 1000 });
    limits.setTrunks([trunk('a', { maxConcurrentCalls: 3 })]);
    expect(limits.room(60_000)).toBe(3);
  });

  it('keeps the calls in progress of a trunk that is configured anew or away', () => {
    const limits = createDialLimits({ maxConcurrentCalls: 100, callsPerSecond: 1000 });
    limits.setTrunks([trunk('a', { maxConcurrentCalls: 2 })]);
    limits.started('a', 0);
    limits.setTrunks([trunk('a', { maxConcurrentCalls: 1 })]);
    expect(limits.saturated(10)).toEqual(['a']);
    limits.setTrunks([]);
    limits.ended('a');
    expect(limits.inProgress()).toBe(0);
  });

  it('paces a trunk on its own', () => {
    const limits = createDialLimits({ maxConcurrentCalls: 100, callsPerSecond: 1000 });
    limits.setTrunks([trunk('a', { callsPerSecond: 2 })]);
    limits.started('a', 0);
    expect([limits.saturated(499), limits.saturated(500)]).toEqual([['a'], []]);
  });
});
