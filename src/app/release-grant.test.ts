import { describe, expect, it } from 'vitest';
import { AppError } from '../domain/app-error.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { createReleaseGrant } from './release-grant.ts';

/** A store that is away or there, a clock that the test turns, and what became of it. */
const bench = () => {
  const state = { away: true, released: [] as (readonly [number, boolean])[], errors: 0 };
  const wakeUps: { readonly delayMs: number; readonly wake: () => void; cancelled: boolean }[] = [];
  const tx = {
    releaseGrant: async (ref: number, failed: boolean) => void state.released.push([ref, failed]),
  } as Partial<Transaction> as Transaction;
  const store = {
    transact: async <T>(work: (tx: Transaction) => Promise<T>) => {
      if (state.away) throw new AppError('store_unavailable', 'Away.');
      return work(tx);
    },
  } as Partial<Store> as Store;
  const quiet = () => undefined;
  const error = (): void => {
    state.errors += 1;
  };
  const log = { debug: quiet, info: quiet, warn: quiet, error };
  const wakeAfter = (delayMs: number, wake: () => void) => {
    const entry = { delayMs, wake, cancelled: false };
    wakeUps.push(entry);
    return () => {
      entry.cancelled = true;
    };
  };
  const releaseGrant = createReleaseGrant({ store, log, wakeAfter });
  /** Lets the newest wait end, and what follows settle. */
  const pass = async (): Promise<void> => {
    wakeUps.at(-1)?.wake();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return { state, wakeUps, releaseGrant, pass };
};

describe('releasing a grant', () => {
  it('is done once when the store is there', async () => {
    const { state, wakeUps, releaseGrant } = bench();
    state.away = false;
    await releaseGrant.release(7, true);
    expect([state.released, wakeUps]).toEqual([[[7, true]], []]);
  });

  it('is tried again, after longer and longer, until the store is back; the try is counted once', async () => {
    const { state, wakeUps, releaseGrant, pass } = bench();
    await releaseGrant.release(7, true);
    for (let n = 0; n < 7; n += 1) await pass();
    expect(wakeUps.map(({ delayMs }) => delayMs)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    state.away = false;
    await pass();
    expect([state.released, wakeUps.length, state.errors]).toEqual([[[7, true]], 8, 0]);
  });

  it('is given up after about an hour, and the log says so', async () => {
    const { state, wakeUps, releaseGrant, pass } = bench();
    await releaseGrant.release(7, false);
    for (let n = 0; n < 100 && state.errors === 0; n += 1) await pass();
    const hours = wakeUps.reduce((sum, { delayMs }) => sum + delayMs, 0) / 3_600_000;
    expect([state.errors, Math.round(hours)]).toEqual([1, 1]);
  });

  it('ends with the server', async () => {
    const { state, wakeUps, releaseGrant } = bench();
    await releaseGrant.release(7, false);
    releaseGrant.close();
    expect(wakeUps.map(({ cancelled }) => cancelled)).toEqual([true]);
    await releaseGrant.release(8, false);
    expect([wakeUps.length, state.errors]).toEqual([1, 1]);
  });
});
