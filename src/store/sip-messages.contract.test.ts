import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { blast, claim, provision, type StoreFixture } from '../../test/support/store-fixture.ts';
import type { TraceBatch } from '../domain/sip-trace.ts';

const HOUR_MS = 3_600_000;
const CALL = 'blast-1';
const ATTEMPT = 'blast-1-1';

const message = (text: string, changes: Partial<TraceBatch['messages'][number]> = {}) => ({
  attemptId: ATTEMPT,
  direction: 'sent' as const,
  transport: 'udp' as const,
  local: { address: '192.0.2.1', port: 5060 },
  remote: { address: '2001:db8::7', port: 5070 },
  seenAt: Date.now(),
  octets: Buffer.from(text, 'latin1'),
  ...changes,
});

for (const dialect of DIALECTS)
  describe(`SIP messages on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    beforeEach(async () => {
      fixture = await dialect.open();
      await fixture.store.transact(async (tx) => {
        await provision(tx);
        await tx.insertBlast(blast());
        await tx.claimCalls(claim());
      });
    });
    afterEach(() => fixture.close());
    const keep = (messages: TraceBatch['messages'], omitted: TraceBatch['omitted'] = []) =>
      fixture.store.transact((tx) => tx.keepSipMessages({ messages, omitted }));
    const trace = (callId = CALL) => fixture.store.view((views) => views.findCallTrace(callId));
    const texts = async () => (await trace()).messages.map(({ octets }) => Buffer.from(octets).toString('latin1'));
    const drop = (changes = {}) =>
      fixture.store.transact((tx) =>
        tx.dropOldSipMessages({ keepForMs: HOUR_MS, maxBytes: 1000, atMost: 100, ...changes }),
      );

    it('are read as they were kept, in order, with their attempt', async () => {
      const answer = message('SIP/2.0 200 \xff\0', { direction: 'received', transport: 'tls', seenAt: 1 });
      await keep([message('INVITE'), answer]);
      const { messages, omitted } = await trace();
      expect(messages).toHaveLength(2);
      const { attemptId: _, octets, ...plain } = answer;
      expect(messages[1]).toMatchObject({ ...plain, attemptNumber: 1 });
      expect(Buffer.from(messages[1]?.octets ?? [])).toEqual(octets);
      expect(omitted).toBe(0);
    });

    it('are of one call; another has none', async () => {
      await keep([message('INVITE', { attemptId: 'other-1-1' })]);
      expect(await trace()).toEqual({ messages: [], omitted: 0 });
      expect(await trace('no such call')).toEqual({ messages: [], omitted: 0 });
    });

    it('that were omitted are counted up', async () => {
      await keep([], [{ attemptId: ATTEMPT, count: 2 }]);
      await keep([message('BYE')], [{ attemptId: ATTEMPT, count: 3 }]);
      expect(await trace()).toMatchObject({ messages: [{ attemptNumber: 1 }], omitted: 5 });
    });

    it('go when they are old, and no others', async () => {
      await keep([message('old', { seenAt: Date.now() - 2 * HOUR_MS }), message('new')]);
      expect(await drop()).toBe(1);
      expect(await texts()).toEqual(['new']);
      expect(await drop()).toBe(0);
    });

    it('go oldest first when all together are too large', async () => {
      for (const text of ['first', 'secnd', 'third']) await keep([message(text)]);
      expect(await drop({ maxBytes: 15 })).toBe(0);
      expect(await drop({ maxBytes: 14 })).toBe(1);
      expect(await texts()).toEqual(['secnd', 'third']);
    });

    it('go a bounded number at a time', async () => {
      await keep(['a', 'b', 'c'].map((text) => message(text)));
      expect(await drop({ keepForMs: -HOUR_MS, atMost: 2 })).toBe(2);
      expect(await texts()).toEqual(['c']);
    });

    it('belong to a call that is found by its id', async () => {
      const call = await fixture.store.view((views) => views.findCall(CALL));
      expect(call).toMatchObject({ id: CALL, blastId: 'blast', attempts: [{ id: ATTEMPT }] });
      expect(await fixture.store.view((views) => views.findCall('none'))).toBeNull();
    });
  });
