import { type CallSockets, type Frames, MAX_BATCH } from './call-sockets.ts';

/** Memory of the same size for each packet that can be on its way: what was put there stays until its flush. */
export const createScratch = (sockets: CallSockets, bytes: number): (() => Frames) => {
  const places = Array.from({ length: MAX_BATCH }, () => sockets.frames(new SharedArrayBuffer(bytes)));
  let next = 0;
  return () => {
    const place = places[next];
    next = (next + 1) % MAX_BATCH;
    if (place === undefined) throw new RangeError('There is a place for each packet.');
    return place;
  };
};
