import { describe, expect, test } from 'vitest';
import { createDigestGate, TRUNK } from '../../test/support/digest-gate.ts';
import { methodsOf } from '../../test/support/sip-messages.ts';
import { createTelephonyBench, OURS, PEER } from '../../test/support/telephony-bench.ts';
import { branchOf } from '../sip/via.ts';
import { readTrace } from './dialog-trace.ts';

/** What a call that comes so far leaves for whoever has to end it. */
const traceAt = async (kind: 'ringing' | 'answered'): Promise<string> => {
  const bench = createTelephonyBench({ script: { ringAfterMs: 100, answerAfterMs: 2_000 } });
  const placed = bench.place();
  await bench.finish(placed);
  const progress = placed.progress.find((step) => step.kind === kind);
  if (!progress || progress.kind === 'digit' || progress.dialog === null) throw new Error(`no trace at ${kind}`);
  return progress.dialog;
};

describe('a dialog that a dead node has begun', () => {
  test('and that was seen answered is acknowledged and hung up', async () => {
    const bench = createTelephonyBench({ script: {} });
    void bench.agent.endDialog({ sipCallId: 'call-1', dialog: await traceAt('answered'), trunk: null });
    await bench.clock.runOut();
    expect(methodsOf(bench.peer.received)).toEqual(['ACK', 'BYE']);
    const [ack, bye] = bench.peer.received;
    expect([ack?.callId, ack?.cseq.number, bye?.cseq.number]).toEqual(['call-1', 1, 1002]);
    expect(bye?.from.params).toEqual([['tag', 'from-1']]);
    expect(bye?.to.params).toEqual([['tag', expect.any(String)]]);
    bench.expectRest();
  });

  test('and that rang is cancelled under the name of its INVITE, and hung up in case it was answered since', async () => {
    const bench = createTelephonyBench({ script: {} });
    const dialog = await traceAt('ringing');
    void bench.agent.endDialog({ sipCallId: 'call-1', dialog, trunk: null });
    await bench.clock.runOut();
    expect(methodsOf(bench.peer.received)).toEqual(['CANCEL', 'ACK', 'BYE']);
    const [cancel] = bench.peer.received;
    expect(cancel?.uri).toEqual(readTrace(dialog)?.invite.uri);
    expect(cancel && branchOf(cancel.vias[0])).toBe('z9hG4bK-invite-1');
    expect(cancel?.cseq).toEqual({ number: 1, method: 'CANCEL' });
    bench.expectRest();
  });

  test.each([
    ['to the trunk, if it asks', TRUNK, ['ACK', 'BYE', 'BYE'], ['1002', '1003']],
    ['to nobody if the trunk is elsewhere now', { ...TRUNK, host: '10.0.0.9' }, ['ACK', 'BYE'], ['1002']],
  ])('shows its password %s', async (_, trunk, methods, numbers) => {
    const gate = createDigestGate({ methods: ['BYE'] });
    const bench = createTelephonyBench({ script: { gate } });
    void bench.agent.endDialog({ sipCallId: 'call-1', dialog: await traceAt('answered'), trunk });
    await bench.clock.runOut();
    expect(methodsOf(bench.peer.received)).toEqual(methods);
    const byes = bench.peer.received.filter(({ method }) => method === 'BYE');
    expect(byes.map(({ cseq }) => String(cseq.number))).toEqual(numbers);
    expect(gate.nonceCounts).toEqual(methods.length === 3 ? ['n1 00000001'] : []);
    bench.expectRest();
  });

  test('is ended when its phone is picked up only now; others answers of nobody are left alone', async () => {
    const bench = createTelephonyBench({ script: {} });
    const answer = (callId: string): void =>
      bench.sayRaw(
        [
          'SIP/2.0 200 OK',
          `Via: SIP/2.0/UDP ${OURS.address}:${OURS.port};branch=z9hG4bK-old`,
          'From: <sip:us@10.0.0.1>;tag=f',
          `To: <sip:bob@${PEER.address}:${PEER.port}>;tag=t`,
          `Call-ID: ${callId}`,
          'CSeq: 1 INVITE',
          `Contact: <sip:bob@${PEER.address}:${PEER.port}>`,
          'Content-Length: 0',
          '\r\n',
        ].join('\r\n'),
      );
    await bench.agent.endDialog({ sipCallId: 'known', dialog: null, trunk: null });
    answer('unknown');
    await bench.clock.runOut();
    expect(bench.peer.received).toEqual([]);
    answer('known');
    await bench.clock.runOut();
    expect(methodsOf(bench.peer.received)).toEqual(['ACK', 'BYE']);
    bench.expectRest();
  });

  test('whose trace cannot be read does no harm', async () => {
    const bench = createTelephonyBench({ script: {} });
    await bench.agent.endDialog({ sipCallId: 'call-1', dialog: '{"hop":null,"invite":"x","answer":"y"}', trunk: null });
    expect(bench.traffic).toEqual([]);
  });
});
