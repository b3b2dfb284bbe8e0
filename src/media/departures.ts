import { constants } from 'node:os';
import { advancePlayout, type Playouts, skipStall, slotBeginMs } from '../rtp/playout.ts';
import { type CallSockets, MAX_BATCH, type SendFailures } from './call-sockets.ts';
import { type Counters, countPacket, countRefusal } from './counters.ts';
import { Payloads } from './payloads.ts';
import { Sealer } from './sealing.ts';
import type { StreamNumbers } from './stream-numbers.ts';
import type { Voice } from './voice.ts';

export interface DeparturesOptions extends SendFailures {
  readonly sockets: CallSockets;
  readonly counters: Counters;
  readonly playouts: Playouts;
  readonly numbers: StreamNumbers;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly onPacket: (lateMs: number) => void;
}

/**
 * Packets on their way into the kernel, which takes many at once: what a packet costs is mostly the way there and back.
 * They are counted once it has taken them, and as late as they are then.
 */
export class Departures {
  readonly #options: DeparturesOptions;
  readonly #payloads: Payloads;
  readonly #sealer: Sealer;
  readonly #failures: SendFailures;
  /** Of the batch that is being flushed. */
  readonly #failedRows = new Set<number>();
  #count = 0;
  readonly #rows = new Uint32Array(MAX_BATCH);
  readonly #clips = new Uint8Array(MAX_BATCH);
  readonly #slots = new Uint8Array(MAX_BATCH);
  readonly #octets = new Uint16Array(MAX_BATCH);
  readonly #dueMs = new Float64Array(MAX_BATCH);

  constructor(options: DeparturesOptions) {
    this.#options = options;
    this.#payloads = new Payloads(options.sockets);
    this.#sealer = new Sealer(options.sockets);
    this.#failures = {
      onFailure: (row, errno) => {
        this.#failedRows.add(row);
        this.#refuse(row, errno);
      },
      onPeerRefusal: options.onPeerRefusal,
    };
  }

  /** Puts a call's next packet on its way, and its playout on to the one after it. */
  put(row: number, voice: Voice, nowMs: number): void {
    if (this.#count === MAX_BATCH) this.flush();
    const { playouts, numbers } = this.#options;
    const dueMs = slotBeginMs(playouts, row);
    skipStall(playouts, row, nowMs);
    numbers.write(row, playouts.slot[row] ?? 0, playouts.marker[row] === 1);
    const errno = this.#load(row, voice);
    if (errno === 0) this.#note(row, dueMs);
    else this.#refuse(row, errno);
    advancePlayout(playouts, row, voice.lengths, this.#payloads.slots, nowMs);
  }

  flush(): void {
    if (this.#count === 0) return;
    const { sockets, nowMs } = this.#options;
    this.#failedRows.clear();
    sockets.flush(this.#failures);
    const sentMs = nowMs();
    for (let nth = 0; nth < this.#count; nth += 1) this.#tell(nth, sentMs);
    this.#count = 0;
  }

  /** Gives the packet to the sockets; 0, or why that cannot be. */
  #load(row: number, voice: Voice): number {
    const payloads = this.#payloads;
    const { playouts, sockets } = this.#options;
    const clip = voice.clips[playouts.clip[row] ?? 0];
    if (clip === undefined) return constants.errno.EINVAL;
    payloads.cut(clip, voice.codec, playouts.place[row] ?? 0, voice.packetSlots);
    if (!voice.canSend) return constants.errno.EDESTADDRREQ;
    if (voice.seal) this.#sealer.seal(row, voice.seal, payloads);
    sockets.put(row, payloads.frames, payloads.offset, payloads.length);
    return 0;
  }

  #note(row: number, dueMs: number): void {
    const nth = this.#count;
    this.#rows[nth] = row;
    this.#clips[nth] = this.#options.playouts.clip[row] ?? 0;
    this.#slots[nth] = this.#payloads.slots;
    this.#octets[nth] = this.#payloads.octets;
    this.#dueMs[nth] = dueMs;
    this.#count += 1;
  }

  #refuse(row: number, errno: number): void {
    countRefusal(this.#options.counters, row);
    this.#options.onFailure(row, errno);
  }

  #tell(nth: number, sentMs: number): void {
    const row = this.#rows[nth] ?? 0;
    const lateMs = sentMs - (this.#dueMs[nth] ?? 0);
    this.#options.onPacket(lateMs);
    if (this.#failedRows.has(row)) return;
    const [octets, clip, slots] = [this.#octets[nth] ?? 0, this.#clips[nth] ?? 0, this.#slots[nth] ?? 0];
    countPacket(this.#options.counters, row, { octets, clip, slots, lateMs });
  }
}
