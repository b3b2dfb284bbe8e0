/** File descriptors of the sockets of a thread, in memory that outlives it. */
export interface Descriptors {
  /** The RTP socket of a row. */
  rtp(row: number): number;
  /** Its RTCP socket. */
  rtcp(row: number): number;
  set(row: number, rtp: number, rtcp: number): void;
  /** What all calls share: what tells of RTCP that comes in, and what takes packets to the kernel. */
  keepEpoll(fd: number): void;
  keepRing(fd: number): void;
  closeRow(row: number, close: (fd: number) => void): void;
  closeAll(close: (fd: number) => void): void;
}

/** The row behind the last is for what all calls share. */
export const createDescriptorMemory = (rows: number): SharedArrayBuffer => new SharedArrayBuffer((rows + 1) * 2 * 4);

/** Each place holds a descriptor plus one, 0 for none. */
export const descriptorsOf = (memory: SharedArrayBuffer): Descriptors => {
  const places = new Int32Array(memory);
  const shared = places.length - 2;
  /** Forgotten before it is closed: if the thread dies in between, one stays open, but none of another's is closed. */
  const closeAt = (place: number, close: (fd: number) => void): void => {
    const held = places[place] ?? 0;
    places[place] = 0;
    if (held > 0) close(held - 1);
  };
  return {
    rtp: (row) => (places[2 * row] ?? 0) - 1,
    rtcp: (row) => (places[2 * row + 1] ?? 0) - 1,
    set(row, rtp, rtcp) {
      places[2 * row] = rtp + 1;
      places[2 * row + 1] = rtcp + 1;
    },
    keepEpoll(fd) {
      places[shared] = fd + 1;
    },
    keepRing(fd) {
      places[shared + 1] = fd + 1;
    },
    closeRow(row, close) {
      closeAt(2 * row, close);
      closeAt(2 * row + 1, close);
    },
    closeAll(close) {
      for (let place = 0; place < places.length; place += 1) closeAt(place, close);
    },
  };
};
