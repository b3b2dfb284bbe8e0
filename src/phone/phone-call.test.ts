import { createSocket } from 'node:dgram';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mediaPortOf, offer } from '../../test/support/hand-caller.ts';
import { requestOf } from '../../test/support/sip-messages.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { RTP_HEADER_BYTES, writeRtpHeader } from '../rtp/packet.ts';
import { createClientTransactions } from '../sip/client-transactions.ts';
import { type Dialog, dialogOfInvite } from '../sip/dialog.ts';
import { udpHop } from '../sip/hop.ts';
import type { SipResponse } from '../sip/message.ts';
import type { PhoneBehaviour, PhoneEvent } from './events.ts';
import { PhoneCall } from './phone-call.ts';

const LOCAL = udpHop({ address: '127.0.0.1', port: 5070 });
const INVITE = requestOf('INVITE', { body: new TextEncoder().encode(offer()) });

/** One call on virtual time; its caller answers nothing. */
const makeCall = (behaviour: PhoneBehaviour = 'answer') => {
  const clock = createVirtualClock();
  const answers: SipResponse[] = [];
  const sent: string[] = [];
  const events: PhoneEvent[] = [];
  const answered = Promise.withResolvers<SipResponse>();
  const over = Promise.withResolvers<void>();
  const { wakeAfter } = clock;
  const send = (octets: Uint8Array): void => void sent.push(new TextDecoder().decode(octets));
  const clients = createClientTransactions({ send, wakeAfter, limit: 10 });
  const transaction = {
    request: INVITE,
    answer: (response: SipResponse): void => {
      answers.push(response);
      if (response.status === 200) answered.resolve(response);
    },
  };
  const options = {
    behaviour,
    answerAfterMs: 1_500,
    codecs: ['PCMU'] as const,
    bindAddress: LOCAL.address,
    recordDirectory: null,
    onEvent: (event: PhoneEvent): void => void events.push(event),
    onOver: over.resolve,
  };
  const around = { clients, wakeAfter, local: LOCAL, peer: udpHop({ address: '127.0.0.1', port: 5060 }) };
  const call = new PhoneCall(options, around, transaction, dialogOfInvite(INVITE, 'f00d') as Dialog);
  const requests = (): string[] => sent.map((text) => text.slice(0, text.indexOf(' ')));
  const statuses = (): number[] => answers.map(({ status }) => status);
  return { call, clock, statuses, requests, events, answered: answered.promise, over: over.promise };
};

type TestCall = ReturnType<typeof makeCall>;

/** Lets it ring, and waits for its 200. */
const untilAnswered = async ({ call, clock, answered }: TestCall): Promise<number> => {
  call.start();
  await clock.advance(1_500);
  return mediaPortOf(new TextDecoder().decode((await answered).body));
};

/** A packet of voice. */
const speak = (mediaPort: number): Promise<void> => {
  const socket = createSocket('udp4');
  const packet = new Uint8Array(RTP_HEADER_BYTES + 160);
  writeRtpHeader(packet, { payloadType: 0, marker: true, sequence: 1, timestamp: 2, ssrc: 3 });
  return new Promise((resolve) => {
    socket.send(packet, mediaPort, LOCAL.address, () => socket.close(resolve));
  });
};

describe('a call to a test phone', () => {
  it('rings for as long as it was told, then is answered', async () => {
    const test = makeCall();
    onTestFinished(async () => {
      void test.call.close();
      await test.clock.runOut();
      await test.over;
    });
    test.call.start();
    await test.clock.advance(1_499);
    expect(test.statuses()).toEqual([180]);
    await test.clock.advance(1);
    await test.answered;
    expect(test.statuses()).toEqual([180, 200]);
  });

  it('that is cancelled at the instant of the answer is never answered', async () => {
    const test = makeCall();
    test.call.start();
    const advancing = test.clock.advance(1_500);
    test.call.cancel();
    await Promise.all([advancing, test.over]);
    expect(test.statuses()).toEqual([180, 487]);
    expect(test.clock.waiting).toBe(0);
  });

  it('stops ringing after three minutes', async () => {
    const test = makeCall('ring');
    test.call.start();
    await test.clock.advance(179_999);
    expect(test.statuses()).toEqual([180]);
    await test.clock.advance(1);
    await test.over;
    expect(test.statuses()).toEqual([180, 480]);
    expect(test.clock.waiting).toBe(0);
  });

  it('hangs up when no ACK comes though it repeats its 200', async () => {
    const test = makeCall();
    await untilAnswered(test);
    await test.clock.advance(31_999);
    expect(test.requests()).toEqual([]);
    expect(test.statuses().filter((status) => status === 200)).toHaveLength(11);
    await test.clock.advance(1);
    expect(test.requests()).toEqual(['BYE']);
    await test.clock.runOut();
    await test.over;
    expect(test.events.at(-1)).toMatchObject({ type: 'ended', how: 'failed', sipStatus: 200 });
  });

  it('hangs up on a caller that has said nothing for 30 s', async () => {
    const test = makeCall();
    const mediaPort = await untilAnswered(test);
    test.call.dialog.acknowledge();
    await speak(mediaPort);
    await test.clock.advance(30_000);
    expect(test.requests()).toEqual([]);
    await test.clock.advance(30_000);
    expect(test.requests()).toEqual(['BYE']);
    await test.clock.runOut();
    await test.over;
    expect(test.events.at(-1)).toMatchObject({ type: 'ended', how: 'failed', reception: { packets: 1 } });
  });

  it('sends one BYE, however often it is told to end', async () => {
    const test = makeCall({ hangUpAfterMs: 100 });
    await untilAnswered(test);
    test.call.dialog.acknowledge();
    await test.clock.advance(100);
    const closed = test.call.close();
    expect(test.requests()).toEqual(['BYE']);
    await test.clock.runOut();
    await closed;
    expect(test.events.filter(({ type }) => type === 'ended')).toMatchObject([{ how: 'hung_up' }]);
  });
});
