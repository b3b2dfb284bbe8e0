/**
 * Rows by the millisecond they are due at, for deadlines less than 64 ms ahead: lists through typed arrays, so that
 * putting in, taking out and passing over cost the same however many there are. A tick is a whole millisecond.
 */
export interface Wheel {
  /** The row must not be in the wheel. A tick that is past counts as the next. */
  insert(row: number, tick: number): void;
  /** Fine for a row that is not in it. */
  remove(row: number): void;
  /** Takes out every row due up to `tick`, the earliest first, and hands it over; it may be put in again meanwhile. */
  expire(tick: number, onDue: (row: number) => void): void;
  /** A tick that nothing is due before, infinity if the wheel is empty. */
  nextTick(): number;
}

const BUCKETS = 64;
const NOWHERE = -1;

export const createWheel = (rows: number): Wheel => {
  /** Circular lists; the rows from `rows` on are the heads of the buckets, and of the one being worked off. */
  const next = new Int32Array(rows + BUCKETS + 1).fill(NOWHERE);
  const previous = new Int32Array(rows + BUCKETS + 1).fill(NOWHERE);
  const dueTick = new Float64Array(rows);
  const working = rows + BUCKETS;
  let passed = -1;
  let count = 0;
  for (let head = rows; head <= working; head += 1) {
    next[head] = head;
    previous[head] = head;
  }

  const headOf = (tick: number): number => rows + (tick % BUCKETS);
  const link = (row: number, head: number): void => {
    const last = previous[head] ?? head;
    next[last] = row;
    previous[row] = last;
    next[row] = head;
    previous[head] = row;
  };
  const unlink = (row: number): void => {
    const before = previous[row] ?? row;
    const after = next[row] ?? row;
    next[before] = after;
    previous[after] = before;
    next[row] = NOWHERE;
    previous[row] = NOWHERE;
  };
  const insert = (row: number, wantedTick: number): void => {
    const tick = Math.max(wantedTick, passed + 1);
    dueTick[row] = tick;
    link(row, headOf(tick));
    count += 1;
  };
  /** Moves a bucket's list aside: what is put in while it is worked off waits for the next turn. */
  const setAside = (head: number): void => {
    const first = next[head] ?? head;
    const last = previous[head] ?? head;
    if (first === head) return;
    next[working] = first;
    previous[first] = working;
    previous[working] = last;
    next[last] = working;
    next[head] = head;
    previous[head] = head;
  };
  const expireBucket = (head: number, tick: number, onDue: (row: number) => void): void => {
    setAside(head);
    for (let row = next[working] ?? working; row !== working; row = next[working] ?? working) {
      unlink(row);
      if ((dueTick[row] ?? 0) > tick) link(row, head);
      else {
        count -= 1;
        onDue(row);
      }
    }
  };

  return {
    insert,
    remove(row) {
      if (next[row] === NOWHERE) return;
      unlink(row);
      count -= 1;
    },
    expire(tick, onDue) {
      for (let each = Math.max(passed + 1, tick - BUCKETS + 1); each <= tick; each += 1) {
        expireBucket(headOf(each), tick, onDue);
      }
      passed = Math.max(passed, tick);
    },
    nextTick() {
      if (count === 0) return Number.POSITIVE_INFINITY;
      let tick = passed + 1;
      while (next[headOf(tick)] === headOf(tick)) tick += 1;
      return tick;
    },
  };
};
