import type { SteadyClock } from '../../src/app/steady-clock.ts';

/** For what is not about clocks that jump. */
export const STEADY: SteadyClock = { isSteady: () => true, repair: () => Promise.resolve() };
