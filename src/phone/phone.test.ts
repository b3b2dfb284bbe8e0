import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  callAndAcknowledge,
  mediaPortOf,
  methodOf,
  offer,
  openHandCaller,
  statusOf,
  tagOf,
} from '../../test/support/hand-caller.ts';
import { openTestPhone } from '../../test/support/test-phone.ts';

describe('a test phone that answers', () => {
  it('rings, answers with SDP, and is done after BYE', async () => {
    const { phone, events, until } = await openTestPhone();
    const caller = await openHandCaller(phone);
    caller.request('INVITE', { body: offer('8 0') });
    const [ringing, accepted] = [await caller.next(), await caller.next()];
    expect([statusOf(ringing), statusOf(accepted)]).toEqual([180, 200]);
    expect(tagOf(ringing)).toBe(tagOf(accepted));
    expect(accepted).toContain(`Contact: <sip:127.0.0.1:${phone.port}>`);
    expect(bodyOf(accepted)).toMatch(/^m=audio [0-9]+ RTP\/AVP 8\r$/m);
    caller.request('ACK', { toTag: tagOf(accepted) });
    expect(await until('answered')).toEqual({ type: 'answered', sipCallId: 'call-1@test', codec: 'PCMA' });
    caller.request('BYE', { toTag: tagOf(accepted), seq: 2 });
    expect(methodOf(await caller.nextOf(200))).toBe('BYE');
    expect(await until('ended')).toMatchObject({ how: 'bye', sipStatus: 200, reception: { packets: 0 } });
    expect(events.map(({ type }) => type)).toEqual(['invite', 'answered', 'ended']);
  });

  it('repeats its 200 until the ACK is in, and no longer', async () => {
    const { phone } = await openTestPhone();
    const caller = await openHandCaller(phone);
    caller.request('INVITE', { body: offer() });
    const [first, second] = [await caller.nextOf(200), await caller.nextOf(200)];
    expect(second).toBe(first);
    caller.request('ACK', { toTag: tagOf(first) });
    caller.request('OPTIONS', { toTag: tagOf(first), seq: 2 });
    expect(methodOf(await caller.nextOf(200))).toBe('OPTIONS');
  });

  it('takes the same INVITE again for the same call', async () => {
    const { phone, events } = await openTestPhone({ behaviour: 'ring' });
    const caller = await openHandCaller(phone);
    caller.request('INVITE', { body: offer() });
    const ringing = await caller.nextOf(180);
    caller.request('INVITE', { body: offer() });
    expect(await caller.nextOf(180)).toBe(ringing);
    expect(events.filter(({ type }) => type === 'invite')).toHaveLength(1);
  });

  it('refuses an offer it cannot use', async () => {
    const { phone, until } = await openTestPhone({ codecs: ['PCMU'] });
    const caller = await openHandCaller(phone);
    caller.request('INVITE', { body: offer('8') });
    expect(statusOf(await caller.next())).toBe(488);
    expect(await until('ended')).toMatchObject({ how: 'refused', sipStatus: 488, reception: null });
  });
});

describe('a test phone that does not answer', () => {
  it.each([
    ['busy', 486],
    ['decline', 603],
  ] as const)('but is set to %s, says %i', async (behaviour, status) => {
    const { phone, until } = await openTestPhone({ behaviour });
    const caller = await openHandCaller(phone);
    caller.request('INVITE', { body: offer() });
    const refusal = await caller.next();
    expect(statusOf(refusal)).toBe(status);
    caller.request('ACK', { branch: 'INVITE-1', toTag: tagOf(refusal) });
    expect(await until('ended')).toMatchObject({ how: 'refused', sipStatus: status, reception: null });
  });

  it('but rings, says 487 when it is cancelled', async () => {
    const { phone, until } = await openTestPhone({ behaviour: 'ring' });
    const caller = await openHandCaller(phone);
    caller.request('INVITE', { body: offer() });
    await caller.nextOf(180);
    caller.request('CANCEL', { branch: 'INVITE-1' });
    const answers = [await caller.next(), await caller.next()];
    expect(answers.map((answer) => [methodOf(answer), statusOf(answer)])).toEqual([
      ['CANCEL', 200],
      ['INVITE', 487],
    ]);
    expect(await until('ended')).toMatchObject({ how: 'cancelled', sipStatus: 487 });
  });

  it('but is switched off, says 480', async () => {
    const { phone, until } = await openTestPhone({ behaviour: 'ring' });
    const caller = await openHandCaller(phone);
    caller.request('INVITE', { body: offer() });
    await caller.nextOf(180);
    await phone.close();
    expect(statusOf(await caller.nextOf(480))).toBe(480);
    expect(await until('ended')).toMatchObject({ how: 'refused', sipStatus: 480 });
  });
});

describe('a test phone that hangs up', () => {
  it('after a while sends BYE inside the dialog', async () => {
    const { phone, until } = await openTestPhone({ behaviour: { hangUpAfterMs: 1 } });
    const caller = await openHandCaller(phone);
    const { toTag } = await callAndAcknowledge(caller);
    const bye = await caller.nextOf('BYE');
    expect(bye).toMatch(`BYE sip:caller@127.0.0.1:${caller.port} SIP/2.0`);
    expect(bye).toMatch(new RegExp(`^From: <sip:.*>;tag=${toTag}\r$`, 'm'));
    expect(bye).toMatch(/^To: <sip:caller@127.0.0.1>;tag=caller\r$/m);
    caller.answer(bye, 200);
    expect(await until('ended')).toMatchObject({ how: 'hung_up', sipStatus: 200 });
  });

  it('because it is switched off sends BYE too, and waits for the answer', async () => {
    const { phone, until } = await openTestPhone();
    const caller = await openHandCaller(phone);
    await callAndAcknowledge(caller);
    await until('answered');
    const closed = phone.close();
    caller.answer(await caller.nextOf('BYE'), 200);
    await closed;
    expect(await until('ended')).toMatchObject({ how: 'hung_up' });
  });
});

describe('a test phone', () => {
  it('answers OPTIONS outside a call, and names what it allows', async () => {
    const { phone } = await openTestPhone();
    const caller = await openHandCaller(phone);
    caller.request('OPTIONS');
    expect(await caller.nextOf(200)).toMatch(/^Allow: INVITE, ACK, CANCEL, BYE, OPTIONS\r$/m);
  });

  it.each([
    ['a BYE of no call', 'BYE', { toTag: 'unknown' }, 481],
    ['a CANCEL of nothing', 'CANCEL', {}, 481],
    ['a re-INVITE of no call', 'INVITE', { toTag: 'unknown', body: offer() }, 481],
    ['a method it does not know', 'REGISTER', {}, 405],
  ] as const)('refuses %s', async (_, method, parts, status) => {
    const { phone } = await openTestPhone();
    const caller = await openHandCaller(phone);
    caller.request(method, parts);
    expect(statusOf(await caller.next())).toBe(status);
  });

  it('puts a call on hold and back, and repeats the 200 of a re-INVITE until the ACK is in', async () => {
    const { phone } = await openTestPhone();
    const caller = await openHandCaller(phone);
    const { toTag, accepted } = await callAndAcknowledge(caller);
    const version = (text: string) => Number(/^o=- [0-9]+ ([0-9]+) /m.exec(text)?.[1]);
    caller.request('INVITE', { toTag, seq: 2, branch: 'INVITE-2', body: offer('0', 'sendonly') });
    const held = await caller.nextOf(200);
    expect(held).toMatch(/^a=recvonly\r$/m);
    expect([mediaPortOf(held), version(held)]).toEqual([mediaPortOf(accepted), version(accepted) + 1]);
    expect(await caller.nextOf(200)).toBe(held);
    caller.request('ACK', { toTag, seq: 2, branch: 'ACK-2' });
    caller.request('INVITE', { toTag, seq: 3, branch: 'INVITE-3', body: offer('0') });
    const resumed = await caller.nextOf(200);
    expect(resumed).toMatch(/^a=sendrecv\r$/m);
    expect(version(resumed)).toBe(version(held) + 1);
    caller.request('ACK', { toTag, seq: 3, branch: 'ACK-3' });
  });

  it('offers what it has when a re-INVITE has no SDP, and keeps the call when an offer is no use', async () => {
    const { phone } = await openTestPhone();
    const caller = await openHandCaller(phone);
    const { toTag, mediaPort } = await callAndAcknowledge(caller);
    caller.request('INVITE', { toTag, seq: 2, branch: 'INVITE-2', body: offer('18') });
    const refused = await caller.nextOf(488);
    caller.request('ACK', { toTag: tagOf(refused), seq: 2, branch: 'INVITE-2' });
    caller.request('INVITE', { toTag, seq: 3, branch: 'INVITE-3' });
    expect(mediaPortOf(await caller.nextOf(200))).toBe(mediaPort);
    caller.request('ACK', { toTag, seq: 3, branch: 'ACK-3' });
    caller.request('BYE', { toTag, seq: 4 });
    expect(methodOf(await caller.nextOf(200))).toBe('BYE');
  });

  it('refuses requests that are out of order', async () => {
    const { phone } = await openTestPhone();
    const caller = await openHandCaller(phone);
    const { toTag } = await callAndAcknowledge(caller);
    caller.request('OPTIONS', { toTag, seq: 1 });
    expect(methodOf(await caller.nextOf(500))).toBe('OPTIONS');
  });

  it('survives octets that are no SIP', async () => {
    const { phone } = await openTestPhone();
    const caller = await openHandCaller(phone);
    for (const noise of ['', '\r\n\r\n', 'INVITE', 'SIP/2.0 200 OK\r\n\r\n', '\0\u{ff}'.repeat(700)])
      caller.send(noise);
    caller.request('OPTIONS');
    expect(statusOf(await caller.nextOf(200))).toBe(200);
  });

  it('says which address is taken', async () => {
    const { phone } = await openTestPhone();
    const listen = { address: '127.0.0.1', port: phone.port };
    await expect(openTestPhone({ listen })).rejects.toThrow(`Cannot listen for SIP on 127.0.0.1:${phone.port} (UDP)`);
  });

  it('has a loopback URI when it listens on every address', async () => {
    const { phone, until } = await openTestPhone({ listen: { address: '0.0.0.0', port: 0 } });
    expect(phone.uri).toBe(`sip:127.0.0.1:${phone.port}`);
    const caller = await openHandCaller(phone);
    const { accepted } = await callAndAcknowledge(caller);
    expect(bodyOf(accepted)).toMatch(/^c=IN IP4 127.0.0.1\r$/m);
    await until('answered');
  });
});
