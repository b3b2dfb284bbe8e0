import type { RandomSource } from '../domain/ports.ts';
import type { Views } from '../domain/store-port.ts';

/** An id that sorts by time: 13 digits of the database's milliseconds, then 12 random digits. A string, never a number. */
export const timeOrderedId = async (views: Pick<Views, 'nowMs'>, random: RandomSource): Promise<string> => {
  const nowMs = await views.nowMs();
  return String(nowMs).padStart(13, '0') + random.digits(12);
};
