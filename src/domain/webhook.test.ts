import { describe, expect, it } from 'vitest';
import { eventData } from './event.ts';
import { GIVE_UP_AFTER_MS, retryDelayMs } from './webhook.ts';

describe('waiting between the attempts of a delivery', () => {
  it('doubles from a second to six hours, less up to a fifth by chance', () => {
    expect([1, 2, 3, 15, 16, 40].map((attempt) => retryDelayMs(attempt, 0))).toEqual([
      1000, 2000, 4000, 16_384_000, 21_600_000, 21_600_000,
    ]);
    expect(retryDelayMs(1, 1)).toBe(800);
    expect(retryDelayMs(40, 0.5)).toBe(19_440_000);
  });

  it('makes some two dozen attempts in three days', () => {
    let waitedMs = 0;
    let attempts = 1;
    for (; waitedMs <= GIVE_UP_AFTER_MS; attempts++) waitedMs += retryDelayMs(attempts, 0.5);
    expect(attempts).toBeGreaterThan(20);
    expect(attempts).toBeLessThan(40);
  });
});

describe('the data of an event', () => {
  const NONE = {
    blastId: null,
    callId: null,
    outcome: null,
    mediaId: null,
    trunkId: null,
    webhookId: null,
    detail: null,
  };

  it('leaves out what does not apply, and names the detail by its type', () => {
    const at = '2026-01-31T09:00:00.000Z';
    expect(eventData({ ...NONE, id: '1', type: 'media.ready', at: 0, mediaId: '101' }, at)).toEqual({
      id: '1',
      type: 'media.ready',
      at,
      mediaId: '101',
    });
    const details = (['blast.finished', 'call.digit', 'webhook.disabled'] as const).map((type) =>
      eventData({ ...NONE, id: '1', type, at: 0, detail: 'x' }, at),
    );
    expect(details).toMatchObject([{ state: 'x' }, { digit: 'x' }, { reason: 'x' }]);
  });
});
