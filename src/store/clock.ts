import type { ClockVerbs } from '../domain/node-port.ts';
import type { Context } from './context.ts';

/** One hundredth of the time between two beats. */
const SLEW_MS = 50;

export const clockVerbs = (context: Context): ClockVerbs => {
  const { db, locks, ahead } = context;
  const row = db.selectFrom('clock').select('ahead_ms').where('id', '=', 1);
  const change = async (byMs: number): Promise<void> => {
    await db
      .updateTable('clock')
      .set((eb) => ({ ahead_ms: eb('ahead_ms', '+', byMs) }))
      .where('id', '=', 1)
      .execute();
  };
  const read = async (query: typeof row): Promise<number> => {
    const { ahead_ms } = await query.executeTakeFirstOrThrow();
    ahead.ms = ahead_ms;
    return (await context.readClockMs()) - ahead_ms;
  };
  return {
    readClock: () => read(row),
    lockClock: () => read(locks.own(row, 'clock')),
    setClockBack: change,
    async slewClock() {
      if (ahead.ms !== 0) await change(Math.max(-SLEW_MS, Math.min(SLEW_MS, -ahead.ms)));
    },
  };
};
