import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { blast, claim, clip, provision, result, type StoreFixture } from '../../test/support/store-fixture.ts';
import type { Transaction } from '../domain/store-port.ts';

const HOUR_MS = 3_600_000;

for (const dialect of DIALECTS)
  describe(`the clock on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    beforeEach(async () => {
      fixture = await dialect.open();
    });
    afterEach(() => fixture.close());
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const times = async () => [
      await transact((tx) => tx.nowMs()),
      await fixture.store.view((views) => views.nowMs()),
      await transact((tx) => tx.readClock()),
    ];

    it.each([HOUR_MS, -HOUR_MS])('is set back by %i ms for all that read it from then on', async (byMs) => {
      const before = await transact((tx) => tx.readClock());
      await transact((tx) => tx.setClockBack(byMs));
      expect((await transact((tx) => tx.nowMs())) - before).toBeLessThan(HOUR_MS / 2);
      await transact((tx) => tx.readClock());
      for (const now of await times()) expect(Math.round((now - before + byMs) / HOUR_MS)).toBe(0);
    });

    it.each([80, -80])(
      'comes back by a twentieth of a second at a time, and no further than to where it was',
      async (byMs) => {
        const regained = await transact(async (tx) => {
          await tx.setClockBack(byMs);
          await tx.readClock();
          // Within a unit of work the database's own clock stands still.
          const start = await tx.nowMs();
          const slewed = async () => {
            await tx.slewClock();
            await tx.readClock();
            return (await tx.nowMs()) - start;
          };
          return [await slewed(), await slewed(), await slewed()];
        });
        expect(regained).toEqual([50, 80, 80].map((ms) => ms * Math.sign(byMs)));
      },
    );

    // On SQLite one unit runs at a time.
    if (dialect.name === 'PostgreSQL')
      it('is read while another node holds it, which may have been stopped in the middle', async () => {
        const [held, read] = await transact(async (tx) => [
          await tx.lockClock(),
          await transact((other) => other.readClock()),
        ]);
        expect(Math.abs(read - held)).toBeLessThan(HOUR_MS);
      });

    it('is that of events too, whoever writes them', async () => {
      await transact((tx) => provision(tx));
      await transact((tx) => tx.setClockBack(HOUR_MS));
      const before = await transact((tx) => tx.readClock());
      await transact((tx) => tx.insertBlast(blast()));
      const [call] = await transact((tx) => tx.claimCalls(claim()));
      const attemptId = call?.attemptId ?? '';
      await transact((tx) => tx.recordRinging(attemptId, null));
      await transact((tx) => tx.recordOutcome(attemptId, result('completed')));
      await transact((tx) => tx.insertClip(clip({ id: 'newer' })));
      const events = await fixture.sql('select type, at from events order by seq');
      expect(events.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['blast.accepted', 'call.ringing', 'call.finished', 'blast.finished', 'media.ready']),
      );
      const late = events.map(({ at }) => Math.round((Number(at) - before) / HOUR_MS));
      // What was written before the clock was set back is an hour ahead of it.
      expect([...new Set(late.slice(1))]).toEqual([0]);
    });
  });
