import { allowsNumber, type Trunk } from '../domain/trunk.ts';

/** The first trunk that is fit and allows the number; if none is fit, the first that allows it; null when dialled directly. */
export const pickTrunk = (
  ids: readonly string[],
  destination: string,
  trunks: readonly Trunk[],
  isFit: (id: string) => boolean,
): string | null => {
  const able = ids.filter((id) => {
    const trunk = trunks.find((known) => known.id === id);
    return trunk && (!destination.startsWith('+') || allowsNumber(trunk, destination));
  });
  return able.find(isFit) ?? able[0] ?? ids[0] ?? null;
};
