import { expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { NO_METRICS } from '../../test/support/no-metrics.ts';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { blast, claim, provision } from '../../test/support/store-fixture.ts';
import type { Outcome } from '../domain/outcome.ts';
import { recover } from './recover.ts';

it.each(DIALECTS)('notes the calls that a crash left open as interrupted ($name)', async ({ open }) => {
  const { store, close } = await open();
  try {
    await store.transact(async (tx) => {
      await provision(tx, ['sip:a@127.0.0.1', 'sip:b@127.0.0.1', 'sip:c@127.0.0.1']);
      await tx.insertBlast(blast());
      await tx.claimCalls(claim({ limit: 2 }));
    });
    const noted: [Outcome, number][] = [];
    const noteEndedUndialled = (outcome: Outcome, calls: number) => void noted.push([outcome, calls]);
    await recover(store, { ...NO_METRICS, noteEndedUndialled }, QUIET_LOG);
    expect(noted).toEqual([['interrupted', 2]]);
    const view = await store.view((views) => views.findBlast('blast'));
    expect(view?.calls.map(({ outcome }) => outcome)).toEqual(['interrupted', 'interrupted', null]);
  } finally {
    await close();
  }
});
