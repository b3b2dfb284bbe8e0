import { expect, test } from 'vitest';
import { createDigestGate, TRUNK } from '../../test/support/digest-gate.ts';
import { SOON } from '../../test/support/talking.ts';
import { createTelephonyBench } from '../../test/support/telephony-bench.ts';
import { findHeader } from '../sip/message.ts';

test('a PRACK, a refresh and a BYE that are challenged are sent again, each with the next number of its dialog', async () => {
  const gate = createDigestGate({ methods: ['INVITE', 'PRACK', 'UPDATE', 'BYE'] });
  const answerHeaders = [SOON, { name: 'Allow', value: 'UPDATE' }];
  const bench = createTelephonyBench({ script: { gate, answerAfterMs: 500, answerHeaders } });
  const placed = bench.place({ trunk: TRUNK, frames: [2_500] });
  await bench.clock.advance(100);
  for (const rseq of ['1', '2']) {
    // Both PRACKs are under way before either is challenged: a number counted from its own would be taken twice.
    bench.peer.calls[0]?.say(183, {
      headers: [
        { name: 'Require', value: '100rel' },
        { name: 'RSeq', value: rseq },
      ],
    });
    gate.renew();
  }
  expect((await bench.finish(placed)).outcome).toBe('completed');
  const inDialog = bench.peer.received.filter(({ method, to }) => method !== 'ACK' && to.params.length > 0);
  const numbers = inDialog.map(({ cseq }) => cseq.number);
  expect(new Set(numbers).size).toBe(numbers.length);
  const acknowledged = inDialog.filter(({ method }) => method === 'PRACK').map((prack) => findHeader(prack, 'RAck'));
  expect([...new Set(acknowledged)].sort()).toEqual(['1 2 INVITE', '2 2 INVITE']);
  expect(inDialog.filter(({ method }) => method === 'UPDATE').length).toBeGreaterThanOrEqual(1);
  bench.expectRest();
});
