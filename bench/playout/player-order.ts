/**
 * `ringcast` is the media thread; so are `srtp`, encrypted, `receiving`, with peers that talk and report, `blocked`, with
 * a main thread that stands still for half of each second, and `two-threads`. `floor` and `dgram` are what it is
 * measured against.
 */
export const PLAYERS = ['ringcast', 'srtp', 'receiving', 'blocked', 'two-threads', 'floor', 'dgram'] as const;
export type PlayerName = (typeof PLAYERS)[number];

/** What one player is asked to play. */
export interface PlayerOrder {
  readonly player: PlayerName;
  readonly calls: number;
  /** Measured for so long, after a warm-up. */
  readonly seconds: number;
  /** Ports of the sink on 127.0.0.1, which calls take in turn. */
  readonly ports: readonly number[];
}

export interface PlayerFigures {
  /** Of the whole process, while it was measured. */
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly packets: number;
  /** Null for the floor, which has no schedule. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly p999Ms: number | null;
  readonly maxMs: number | null;
  /** From `play` to the kernel having the first packet of further calls, 99 of 100; only of the media thread. */
  readonly firstAudioP99Ms: number | null;
  /** Growth of the process by the calls, divided by them; what its main thread had no more use for was collected. */
  readonly bytesPerCall: number;
}
