export const PLAYERS = ['ringcast', 'floor', 'dgram'] as const;
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
  /** Growth of the process by the calls, divided by them. */
  readonly bytesPerCall: number;
}
