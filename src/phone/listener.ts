import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { decodeAlaw, decodeUlaw } from '../rtp/g711.ts';
import { parseRtpPacket, type RtpPacket } from '../rtp/packet.ts';
import type { LocalCodec } from '../sdp/audio-codec.ts';
import type { PhoneCodec } from './codecs.ts';
import { type Reception, ReceptionCounter } from './reception.ts';
import { type Recorded, Recording } from './recording.ts';
import { createSequenceTracker } from './sequence.ts';

/** The ear of one call. */
export interface Listener {
  /** RTP port it is bound to. */
  readonly port: number;
  /** Listens to packets of that payload type from now on; what came before is dropped. A second call changes the codec. */
  hear(as: LocalCodec<PhoneCodec>): void;
  /** Packets heard so far. */
  packets(): number;
  /** Takes in what has arrived already, then closes. `recorded` is null if nothing was to be recorded. */
  finish(): Promise<{ readonly reception: Reception | null; readonly recorded: Recorded | null }>;
}

const DECODERS: Readonly<Record<PhoneCodec, (octets: Uint8Array) => Int16Array>> = {
  PCMU: decodeUlaw,
  PCMA: decodeAlaw,
};
/** Turns of the event loop that may bring packets after the end. Each takes in about 32: this is a minute of voice. */
const MAX_DRAIN_TURNS = 100;
/** The turn that `finish` is called in may have read its share of packets before, so that it proves nothing. */
const QUIET_TURNS = 2;

/** One stream: the first synchronisation source that is heard; others are ignored. */
class Stream {
  readonly #track = createSequenceTracker();
  readonly #first: RtpPacket;
  readonly #counter: ReceptionCounter;
  readonly #recording: Recording | null;

  constructor(first: RtpPacket, counter: ReceptionCounter, recording: Recording | null) {
    this.#first = first;
    this.#counter = counter;
    this.#recording = recording;
  }

  take(packet: RtpPacket, codec: PhoneCodec): void {
    if (packet.ssrc !== this.#first.ssrc) return;
    const place = this.#track(packet.sequence);
    // Signed difference modulo 2^32: timestamps wrap round.
    const offset = (packet.timestamp - this.#first.timestamp) | 0;
    this.#counter.count(place, offset, performance.now());
    if (place.kind !== 'duplicate') this.#recording?.add(place.extended, offset, DECODERS[codec](packet.payload));
  }
}

const bind = async (address: string): Promise<Socket> => {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  socket.bind({ address, port: 0, exclusive: true });
  await once(socket, 'listening');
  return socket;
};

/** Binds any free port. Rejects if the system gives none. */
export const openListener = async (address: string, isRecorded: boolean): Promise<Listener> => {
  const socket = await bind(address);
  const recording = isRecorded ? new Recording() : null;
  let expected: LocalCodec<PhoneCodec> | null = null;
  let counter: ReceptionCounter | null = null;
  let stream: Stream | null = null;
  let datagrams = 0;

  const onDatagram = (octets: Uint8Array): void => {
    datagrams += 1;
    const packet = parseRtpPacket(octets);
    if (packet === null || counter === null || packet.payloadType !== expected?.payloadType) return;
    stream ??= new Stream(packet, counter, recording);
    stream.take(packet, expected.codec);
  };

  /**
   * BYE comes in on another socket than voice, so that voice sent before it may be read after it, by as much as this
   * process was busy. All of it is in when turns of the event loop bring no more.
   */
  const drain = async (): Promise<void> => {
    let quiet = 0;
    for (let turn = 0; turn < MAX_DRAIN_TURNS && quiet < QUIET_TURNS; turn += 1) {
      const before = datagrams;
      await setImmediate();
      quiet = datagrams === before ? quiet + 1 : 0;
    }
  };

  socket.on('message', onDatagram);
  // A datagram that could not be read is a lost one, which the statistics show.
  socket.on('error', () => undefined);
  return {
    port: socket.address().port,
    hear: (as) => {
      expected = as;
      counter ??= new ReceptionCounter(performance.now());
    },
    packets: () => counter?.read().packets ?? 0,
    finish: async () => {
      await drain();
      await new Promise<void>((resolve) => socket.close(resolve));
      return { reception: counter?.read() ?? null, recorded: recording?.finish() ?? null };
    },
  };
};
