/** RFC 5407 3.2, 3.3.3 and appendix D: a message comes when BYE has been sent, or has come. */
import { expect, test } from 'vitest';
import { methodsOf } from '../../test/support/sip-messages.ts';
import { SOON, sdpParts, talk } from '../../test/support/talking.ts';
import type { SipRequest } from '../sip/message.ts';

test('3.2.1 BYE crosses BYE: each is answered with 200, the call was complete', async () => {
  const { bench, placed, call, said } = await talk({}, 50);
  await bench.clock.advance(910 - 3);
  const status = call.request('BYE');
  expect((await bench.finish(placed)).outcome).toBe('completed');
  expect(await status).toBe(200);
  expect(said()).toEqual(['INVITE 1', 'ACK 1', 'BYE 2', '200 1 BYE']);
  bench.expectRest();
});

test('3.2.1 our cancellation crosses their BYE: cancelled, which was first', async () => {
  const { bench, placed, call } = await talk();
  const status = call.request('BYE');
  await bench.clock.advance(3);
  placed.call.cancel();
  expect((await bench.finish(placed)).outcome).toBe('cancelled');
  expect(await status).toBe(200);
  bench.expectRest();
});

test.each([
  ['3.2.2', 'INVITE'],
  ['3.3.3', 'REFER'],
  ['Appendix D', 'UPDATE'],
  ['Appendix D', 'INFO'],
  ['Appendix D', 'OPTIONS'],
  ['Appendix D', 'MESSAGE'],
])('%s %s crosses our BYE: 481, and the voice does not start again', async (_section, method) => {
  const { bench, placed, call } = await talk();
  const status = call.request(method, method === 'INVITE' ? sdpParts() : {});
  await bench.clock.advance(3);
  placed.call.cancel();
  expect((await bench.finish(placed)).outcome).toBe('cancelled');
  expect(await status).toBe(481);
  expect(bench.media.events.map(({ kind }) => kind)).toEqual(['play', 'stop']);
  bench.expectRest();
});

/** Answers our re-INVITE late, so that BYE comes in between. */
const lateReinvite = () => talk({ answerHeaders: [SOON] });

test('3.2.3 the 200 to our re-INVITE comes after our BYE: it is acknowledged', async () => {
  const { bench, placed, said } = await lateReinvite();
  await bench.clock.advance(44_000);
  bench.delayFirst('SIP/2.0 200', 400);
  await bench.clock.advance(1_000);
  placed.call.cancel();
  expect((await bench.finish(placed)).outcome).toBe('cancelled');
  expect(said()).toEqual(['INVITE 1', 'ACK 1', 'INVITE 2', 'BYE 3', 'ACK 2']);
  bench.expectRest();
});

test('3.2.3 the 200 to our re-INVITE comes after their BYE: it is acknowledged', async () => {
  const { bench, placed, call, said } = await lateReinvite();
  await bench.clock.advance(44_000);
  bench.delayFirst('SIP/2.0 200', 400);
  await bench.clock.advance(930);
  const status = call.request('BYE');
  expect((await bench.finish(placed)).outcome).toBe('hung_up');
  expect(await status).toBe(200);
  expect(said()).toEqual(['INVITE 1', 'ACK 1', 'INVITE 2', '200 1 BYE', 'ACK 2']);
  bench.expectRest();
});

test('3.2.4 the ACK of our 200 comes after our BYE: ignored', async () => {
  const { bench, placed, call, said } = await talk();
  bench.delayFirst('ACK', 300);
  void call.request('INVITE', sdpParts());
  await bench.clock.advance(50);
  placed.call.cancel();
  expect((await bench.finish(placed)).outcome).toBe('cancelled');
  expect(said()).toEqual(['INVITE 1', 'ACK 1', '200 1 INVITE', 'BYE 2']);
  bench.expectRest();
});

test('Appendix B their BYE overtakes their re-INVITE: the re-INVITE is refused', async () => {
  const { bench, placed, call } = await talk();
  bench.delayFirst('INVITE', 50);
  const reinvite = call.request('INVITE', sdpParts());
  const bye = call.request('BYE');
  expect((await bench.finish(placed)).outcome).toBe('hung_up');
  expect(await bye).toBe(200);
  expect(await reinvite).toBe(481);
  bench.expectRest();
});

test('Appendix B our BYE overtakes our re-INVITE, which is refused: nothing more happens', async () => {
  const serve = ({ method }: SipRequest) => ({ status: method === 'INVITE' ? 481 : 200 });
  const { bench, placed } = await talk({ answerHeaders: [SOON], serve });
  await bench.clock.advance(44_000);
  bench.delayFirst('INVITE', 700);
  await bench.clock.advance(1_000);
  placed.call.cancel();
  expect((await bench.finish(placed)).outcome).toBe('cancelled');
  expect(methodsOf(bench.peer.received).filter((method) => method === 'BYE')).toHaveLength(1);
  bench.expectRest();
});
