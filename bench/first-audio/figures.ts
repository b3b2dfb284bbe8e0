export interface PhonePorts {
  readonly sip: number;
  readonly voice: number;
}

/** What `caller.ts` is started with. */
export interface CallerOrder {
  readonly phonePort: number;
  /** Calls that play all the while. */
  readonly inProgress: number;
  readonly measured: number;
  readonly perSecond: number;
}

/** Whom the measured calls are told apart by. */
export const MEASURED_CALL_ID = 'measured-';

/** One packet of a capture: a SIP message or RTP. */
export interface CapturedPacket {
  readonly atMs: number;
  readonly fromPort: number;
  readonly octets: Buffer;
}

/**
 * For each measured call the time from its first ACK to the first packet from the port that its offer named, in
 * milliseconds; null for a call without either.
 */
export const firstAudioMs = (packets: readonly CapturedPacket[]): (number | null)[] => {
  const messages = packets.filter((packet) => !isRtp(packet)).map(readMessage);
  const measured = messages.filter(({ callId }) => callId.startsWith(MEASURED_CALL_ID));
  const offers = measured.filter(({ method }) => method === 'INVITE');
  const voiceAtMs = firstTimes(packets.filter(isRtp), ({ fromPort }) => fromPort);
  const ackAtMs = firstTimes(
    measured.filter(({ method }) => method === 'ACK'),
    ({ callId }) => callId,
  );
  return [...new Map(offers.map(({ callId, mediaPort }) => [callId, mediaPort]))].map(([callId, port]) => {
    const [voice, ack] = [voiceAtMs.get(port), ackAtMs.get(callId)];
    return voice === undefined || ack === undefined ? null : voice - ack;
  });
};

/** Version 2 in the first two bits (RFC 3550 5.1), where a SIP message has a letter. */
const isRtp = ({ octets }: CapturedPacket): boolean => (octets[0] ?? 0) >> 6 === 2;

const readMessage = ({ atMs, octets }: CapturedPacket) => {
  const text = octets.toString('latin1');
  return {
    atMs,
    method: text.split(' ', 1)[0] ?? '',
    callId: /^Call-ID: *(\S+)/im.exec(text)?.[1] ?? '',
    mediaPort: Number(/^m=audio (\d+)/m.exec(text)?.[1]),
  };
};

const firstTimes = <T extends { readonly atMs: number }, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, number> =>
  new Map(all.toReversed().map((one) => [keyOf(one), one.atMs]));
