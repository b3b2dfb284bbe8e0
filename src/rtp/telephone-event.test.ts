import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RtpPacket } from './packet.ts';
import { type Digit, hearTelephoneEvent, NO_DIGITS } from './telephone-event.ts';

const DIGITS = '0123456789*#ABCD';
interface Wire {
  readonly at: number;
  readonly digit: string;
  readonly duration: number;
  readonly end?: boolean;
  readonly ssrc?: number;
}

const packetOf = ({ at, digit, duration, end = false, ssrc = 1 }: Wire, sequence = 0): RtpPacket => ({
  payloadType: 101,
  marker: false,
  sequence,
  timestamp: at >>> 0,
  ssrc,
  payload: Uint8Array.of(DIGITS.indexOf(digit), end ? 0x8a : 0x0a, duration >> 8, duration & 0xff),
});

const heard = (wires: readonly Wire[]): readonly Digit[] => {
  const digits: Digit[] = [];
  let state = NO_DIGITS;
  for (const wire of wires) {
    const step = hearTelephoneEvent(state, packetOf(wire));
    state = step.heard;
    if (step.digit) digits.push(step.digit);
  }
  return digits;
};

/** A press as RFC 4733 2.5.1 has it sent: an update every 20 ms, the end three times. */
const press = (digit: string, at: number, duration = 800): Wire[] => [
  ...Array.from({ length: duration / 160 }, (_, i) => ({ at, digit, duration: (i + 1) * 160 })),
  ...Array.from({ length: 3 }, () => ({ at, digit, duration, end: true })),
];

describe('telephone-event', () => {
  it('each digit once, with the timestamp of its beginning', () => {
    expect(heard([...press('5', 4_000), ...press('#', 6_000), ...press('5', 8_000)])).toEqual([
      { digit: '5', timestamp: 4_000 },
      { digit: '#', timestamp: 6_000 },
      { digit: '5', timestamp: 8_000 },
    ]);
  });

  it('any loss that leaves one packet of each press, any repeats and any disorder within 8 presses', () => {
    const digits = fc.array(fc.constantFrom(...DIGITS), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(digits, fc.nat(0xffffffff), fc.infiniteStream(fc.nat(99)), (keys, start, dice) => {
        const roll = (): number => dice.next().value ?? 0;
        const kept = keys.flatMap((digit, i) => {
          const all = press(digit, start + i * 1_600);
          const some = all.filter(() => roll() < 40);
          return some.length > 0
            ? [...some, ...some.filter(() => roll() < 30)]
            : all.slice(roll() % all.length).slice(0, 1);
        });
        const disorder = kept.map((wire) => ({ wire, key: roll() })).sort((a, b) => a.key - b.key);
        const found = heard(disorder.map(({ wire }) => wire));
        const order = (d: Digit) => ((d.timestamp - start) >>> 0) / 1_600;
        expect([...found].sort((a, b) => order(a) - order(b)).map(({ digit }) => digit)).toEqual(keys);
      }),
    );
  });

  it('a lost end does not swallow the next press of the same key', () => {
    expect(heard([{ at: 0, digit: '1', duration: 640 }, ...press('1', 1_200)])).toHaveLength(2);
  });

  it('a press longer than its duration field goes on in segments (RFC 4733 2.5.1.3)', () => {
    const first = { at: 1_000, digit: '9', duration: 0xffff };
    const second = { at: 1_000 + 0xffff, digit: '9', duration: 160 };
    const third = { at: 1_000 + 2 * 0xffff, digit: '9', duration: 320, end: true };
    expect(heard([first, second, { ...second, duration: 0xffff }, first, third, third])).toHaveLength(1);
    expect(heard([{ ...first, duration: 60_000 }, second, third])).toEqual([{ digit: '9', timestamp: 1_000 }]);
  });

  it('a peer that moves the timestamp while the key is held is heard once', () => {
    const moving = [1, 2, 3, 4, 5].map((i) => ({ at: i * 160, digit: '3', duration: i * 160, end: i > 3 }));
    expect(heard(moving)).toEqual([{ digit: '3', timestamp: 160 }]);
  });

  it('two keys at the same time are two digits', () => {
    expect(heard([...press('1', 0), ...press('2', 0)]).map(({ digit }) => digit)).toEqual(['1', '2']);
  });

  it('another source starts anew', () => {
    expect(heard([...press('1', 0), ...press('1', 0).map((wire) => ({ ...wire, ssrc: 2 }))])).toHaveLength(2);
  });

  it('what is no digit is ignored: flash, tones, payloads cut short', () => {
    const packet = packetOf({ at: 0, digit: '1', duration: 160 });
    for (const payload of [
      Uint8Array.of(16, 0, 0, 160),
      Uint8Array.of(255, 0, 0, 160),
      Uint8Array.of(1, 0, 0),
      new Uint8Array(),
    ]) {
      expect(hearTelephoneEvent(NO_DIGITS, { ...packet, payload })).toEqual({ heard: NO_DIGITS, digit: null });
    }
  });

  it('whatever comes, what is remembered stays small', () => {
    let state = NO_DIGITS;
    for (let i = 0; i < 1_000; i++) {
      state = hearTelephoneEvent(state, packetOf({ at: i * 7_919, digit: DIGITS[i % 16] ?? '0', duration: i })).heard;
      expect(state.presses.length).toBeLessThanOrEqual(8);
    }
  });
});
