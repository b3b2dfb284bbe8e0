import { describe, expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { samplesOf, sampleValue } from '../../test/support/scrape.ts';
import { openSqliteFixture, trunk } from '../../test/support/store-fixture.ts';
import type { EndedAttempt, VoiceFigures } from '../domain/metrics.ts';
import type { Store } from '../domain/store-port.ts';
import { createPrometheusMetrics, type PrometheusMetrics } from './prometheus.ts';

const goneStore: Pick<Store, 'view'> = { view: () => Promise.reject(new Error('the disk is gone')) };

const ROUTE_HEALTH = {
  trunkState: () => 'down' as const,
  isDegraded: () => true,
  registration: () => ({ state: 'registered' as const, expiresAt: null, reason: null }),
};
const LATE_VOICE: VoiceFigures = { isOverloaded: () => true, lateness: () => ({ packets: 900, latePackets: 18 }) };

const SERVER_LIMITS = { callsPerSecond: 50, maxConcurrentCalls: 500 };

const read = ({ expose }: PrometheusMetrics, store = goneStore): Promise<string> =>
  expose({ store, routeHealth: ROUTE_HEALTH, voice: LATE_VOICE, log: QUIET_LOG, serverLimits: SERVER_LIMITS }).read();

const ended = (changes: Partial<EndedAttempt>): EndedAttempt => ({
  trunkId: 'carrier',
  outcome: 'completed',
  answeredForMs: null,
  callEnded: true,
  ...changes,
});

describe('metrics of calls', () => {
  it('count an attempt that is followed by another, but not its call', async () => {
    const prometheus = createPrometheusMetrics();
    prometheus.metrics.noteAttempt('carrier');
    prometheus.metrics.noteOutcome(ended({ outcome: 'busy', callEnded: false }));
    const text = await read(prometheus);
    const labels = { trunk: 'carrier', outcome: 'busy' };
    expect(sampleValue(text, 'ringcast_call_attempts_ended_total', labels)).toBe(1);
    expect(sampleValue(text, 'ringcast_calls_ended_total', labels)).toBeUndefined();
    expect(sampleValue(text, 'ringcast_calls_in_progress', { trunk: 'carrier' })).toBe(0);
    expect(sampleValue(text, 'ringcast_call_duration_seconds_count', { trunk: 'carrier' })).toBeUndefined();
  });

  it.each([
    [5999, 1],
    [6000, 0],
  ])('take an answered call of %i ms for %i short calls', async (answeredForMs, short) => {
    const prometheus = createPrometheusMetrics();
    prometheus.metrics.noteAttempt('carrier');
    prometheus.metrics.noteOutcome(ended({ answeredForMs }));
    const text = await read(prometheus);
    expect(sampleValue(text, 'ringcast_short_calls_total', { trunk: 'carrier' })).toBe(short);
    expect(sampleValue(text, 'ringcast_call_duration_seconds_sum', { trunk: 'carrier' })).toBe(answeredForMs / 1000);
  });

  it('tell at most 100 trunks apart', async () => {
    const prometheus = createPrometheusMetrics();
    for (let at = 0; at < 150; at += 1) prometheus.metrics.noteAttempt(`trunk-${at}`);
    prometheus.metrics.noteAttempt(null);
    const text = await read(prometheus);
    const trunks = samplesOf(text).filter(({ name }) => name === 'ringcast_call_attempts_total');
    expect(trunks).toHaveLength(102);
    expect(sampleValue(text, 'ringcast_call_attempts_total', { trunk: 'other' })).toBe(50);
    expect(sampleValue(text, 'ringcast_call_attempts_total', { trunk: 'direct' })).toBe(1);
  });
});

describe('figures read at a scrape', () => {
  it('tell of voice what the media threads tell, at each scrape anew', async () => {
    const prometheus = createPrometheusMetrics();
    await read(prometheus);
    const text = await read(prometheus);
    expect(sampleValue(text, 'ringcast_media_overloaded')).toBe(1);
    expect(sampleValue(text, 'ringcast_voice_packets_total')).toBe(900);
    expect(sampleValue(text, 'ringcast_voice_packets_late_total')).toBe(18);
  });

  it('are left out when the store cannot be read, and the rest is told', async () => {
    const fixture = await openSqliteFixture();
    try {
      await fixture.store.transact((tx) =>
        tx.createTrunk(trunk({ id: 'carrier', callsPerSecond: 9, maxConcurrentCalls: null })),
      );
      const prometheus = createPrometheusMetrics();
      prometheus.metrics.noteGrant('issued');
      const well = await read(prometheus, fixture.store);
      expect(sampleValue(well, 'ringcast_store_up')).toBe(1);
      expect(sampleValue(well, 'ringcast_calls_waiting')).toBe(0);
      expect(sampleValue(well, 'ringcast_trunk_state', { trunk: 'carrier', state: 'down' })).toBe(1);
      expect(sampleValue(well, 'ringcast_trunk_state', { trunk: 'carrier', state: 'up' })).toBe(0);
      expect(sampleValue(well, 'ringcast_trunk_degraded', { trunk: 'carrier' })).toBe(1);
      expect(sampleValue(well, 'ringcast_trunk_registered', { trunk: 'carrier' })).toBe(1);
      expect(sampleValue(well, 'ringcast_calls_per_second_limit', { trunk: 'carrier' })).toBe(9);
      expect(sampleValue(well, 'ringcast_calls_per_second_limit', { trunk: 'all' })).toBe(50);
      expect(sampleValue(well, 'ringcast_concurrent_calls_limit', { trunk: 'all' })).toBe(500);
      expect(sampleValue(well, 'ringcast_concurrent_calls_limit', { trunk: 'carrier' })).toBeUndefined();
      const gone = await read(prometheus);
      expect(sampleValue(gone, 'ringcast_store_up')).toBe(0);
      expect(sampleValue(gone, 'ringcast_calls_waiting')).toBeUndefined();
      expect(samplesOf(gone).filter(({ name }) => name === 'ringcast_trunk_state')).toEqual([]);
      expect(sampleValue(gone, 'ringcast_grants_total', { result: 'issued' })).toBe(1);
    } finally {
      await fixture.close();
    }
  });

  it('forget a trunk that was deleted', async () => {
    const fixture = await openSqliteFixture();
    try {
      const prometheus = createPrometheusMetrics();
      await fixture.store.transact((tx) => tx.createTrunk(trunk({ id: 'carrier' })));
      expect(await read(prometheus, fixture.store)).toContain('trunk="carrier"');
      await fixture.store.transact((tx) => tx.deleteTrunk('carrier'));
      expect(await read(prometheus, fixture.store)).not.toContain('trunk="carrier"');
    } finally {
      await fixture.close();
    }
  });
});

describe('two servers', () => {
  it('have registries of their own', async () => {
    const [one, two] = [createPrometheusMetrics(), createPrometheusMetrics()];
    one.metrics.noteUpload('committed');
    expect(sampleValue(await read(one), 'ringcast_uploads_total', { result: 'committed' })).toBe(1);
    expect(sampleValue(await read(two), 'ringcast_uploads_total', { result: 'committed' })).toBe(0);
  });
});
