/** What `caller.ts` is started with. */
export interface CallerOrder {
  readonly phonePort: number;
  /** `none`: every voice ends at once. `thread`: the real media thread plays a clip without frames. */
  readonly media: 'none' | 'thread';
  readonly callsAtOnce: number;
  readonly warmUpCalls: number;
  readonly calls: number;
}

/** A run of calls that all ran to their end. */
export interface CallFigures {
  readonly calls: number;
  readonly seconds: number;
  /** User and system, of all threads. */
  readonly cpuSeconds: number;
}
