/** What the sink saw of all streams. */
export interface StreamFigures {
  readonly streams: number;
  readonly packets: number;
  /** Sequence numbers passed over. */
  readonly missing: number;
  /** Packets whose sequence number was not above the last. */
  readonly outOfOrder: number;
  /** Packets whose timestamp did not go on by 20 ms for each sequence number. */
  readonly jumps: number;
  /** RTP time against the sink's monotonic clock from the first packets of a stream to its last, the worst stream. */
  readonly driftMs: number;
}

interface Stream {
  sequence: number;
  timestamp: number;
  readonly startMs: number;
  /** Samples since the first packet. */
  samples: number;
  packets: number;
  /** Least delay of arrival behind RTP time: among the first packets, the block before, and the present block. */
  firstMs: number;
  lastMs: number;
  blockMs: number;
}

const SAMPLES_PER_PACKET = 160;
const SAMPLES_PER_MS = 8;
/** Packets whose least delay stands for their time: it shows the clock, not the moods of the network. */
const BLOCK = 250;

export class Streams {
  readonly #streams = new Map<number, Stream>();
  #packets = 0;
  #missing = 0;
  #outOfOrder = 0;
  #jumps = 0;

  take(ssrc: number, sequence: number, timestamp: number, nowMs: number): void {
    this.#packets += 1;
    const stream = this.#streams.get(ssrc);
    if (stream === undefined) this.#streams.set(ssrc, startStream(sequence, timestamp, nowMs));
    else this.#follow(stream, sequence, timestamp, nowMs);
  }

  figures(): StreamFigures {
    const driftsMs = [...this.#streams.values()].map(({ firstMs, lastMs }) => Math.abs(lastMs - firstMs));
    return {
      streams: this.#streams.size,
      packets: this.#packets,
      missing: this.#missing,
      outOfOrder: this.#outOfOrder,
      jumps: this.#jumps,
      driftMs: driftsMs.reduce((most, each) => Math.max(most, each), 0),
    };
  }

  #follow(stream: Stream, sequence: number, timestamp: number, nowMs: number): void {
    const ahead = (sequence - stream.sequence) & 0xffff;
    if (ahead === 0 || ahead > 0x8000) {
      this.#outOfOrder += 1;
      return;
    }
    this.#missing += ahead - 1;
    const samples = (timestamp - stream.timestamp) >>> 0;
    if (samples !== ahead * SAMPLES_PER_PACKET) this.#jumps += 1;
    stream.sequence = sequence;
    stream.timestamp = timestamp;
    stream.samples += samples;
    noteDelay(stream, nowMs);
  }
}

const startStream = (sequence: number, timestamp: number, nowMs: number): Stream => ({
  sequence,
  timestamp,
  startMs: nowMs,
  samples: 0,
  packets: 0,
  firstMs: 0,
  lastMs: 0,
  blockMs: 0,
});

const noteDelay = (stream: Stream, nowMs: number): void => {
  const delayMs = nowMs - stream.startMs - stream.samples / SAMPLES_PER_MS;
  stream.packets += 1;
  stream.blockMs = Math.min(stream.blockMs, delayMs);
  if (stream.packets % BLOCK !== 0) return;
  stream.lastMs = stream.blockMs;
  if (stream.packets === BLOCK) stream.firstMs = stream.blockMs;
  stream.blockMs = Number.POSITIVE_INFINITY;
};
