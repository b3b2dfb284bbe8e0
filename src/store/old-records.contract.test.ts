import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import type { StoreFixture } from '../../test/support/store-fixture.ts';
import { blast, claim, network, provision, result } from '../../test/support/store-fixture.ts';
import type { Transaction } from '../domain/store-port.ts';

const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;
/** More than go in one turn. */
const DESTINATIONS = Array.from({ length: 600 }, (_, at) => `sip:${at}@127.0.0.1:5070`);

for (const dialect of DIALECTS)
  describe(`old records on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const drop = () => transact((tx) => tx.dropOldRecords(KEPT_MS));
    const idsOf = async (table: string) =>
      (await fixture.sql(`select id from ${table} order by id`)).map(({ id }) => id);
    const age = (table: string, column: string, days: number) =>
      fixture.sql(`update ${table} set ${column} = ${column} - ${days * DAY_MS}`);
    beforeEach(async () => {
      fixture = await dialect.open();
      await transact((tx) => provision(tx));
    });
    afterEach(() => fixture.close());

    const dialAll = async (): Promise<void> => {
      for (const { attemptId } of await transact((tx) => tx.claimCalls(claim()))) {
        const octets = new TextEncoder().encode('INVITE');
        const end = { address: '127.0.0.1', port: 5060 };
        const message = { attemptId, direction: 'sent', transport: 'udp', local: end, remote: end, seenAt: 1, octets };
        await transact((tx) => tx.keepSipMessages({ messages: [message as never], omitted: [] }));
        await transact((tx) => tx.recordOutcome(attemptId, result('completed')));
      }
    };

    it('drops a finished blast with its calls, attempts and SIP messages once it is too old', async () => {
      await transact((tx) => tx.insertBlast(blast({ id: 'old' })));
      await dialAll();
      expect(await drop()).toBe(0);
      await age('blasts', 'accepted_at', 31);
      await transact((tx) => tx.insertBlast(blast({ id: 'young' })));
      await dialAll();
      expect(await drop()).toBe(2);
      expect(await idsOf('blasts')).toEqual(['young']);
      expect(await idsOf('calls')).toEqual(['young-1']);
      expect(await idsOf('attempts')).toEqual(['young-1-1']);
      expect(await fixture.sql('select distinct attempt_id from sip_messages')).toEqual([{ attempt_id: 'young-1-1' }]);
      expect(await drop()).toBe(0);
    });

    it('never drops a blast that is not finished, however old, and goes past it', async () => {
      await transact((tx) => tx.insertBlast(blast({ id: 'waits' })));
      await transact((tx) => tx.insertBlast(blast({ id: 'done' })));
      await transact((tx) => tx.cancelBlast('done'));
      await age('blasts', 'accepted_at', 400);
      expect(await drop()).toBe(2);
      expect([await idsOf('blasts'), await idsOf('calls')]).toEqual([['waits'], ['waits-1']]);
    });

    it('takes a large blast part by part, and the blast with its last call', async () => {
      await transact((tx) => tx.createNetwork(network({ id: 'many', destinations: DESTINATIONS })));
      await transact((tx) => tx.insertBlast(blast({ networkId: 'many' })));
      await transact((tx) => tx.cancelBlast('blast'));
      while ((await transact((tx) => tx.settleBlast())).isMore);
      await age('blasts', 'accepted_at', 31);
      expect(await drop()).toBe(500);
      expect(await idsOf('blasts')).toEqual(['blast']);
      expect(await drop()).toBe(101);
      expect([await idsOf('blasts'), await idsOf('calls')]).toEqual([[], []]);
    });

    it('drops grants so long after their end, though not one that an upload holds', async () => {
      const { id: keyId } = await transact((tx) => tx.createAppKey('app', null));
      const grant = { mediaId: 'media', caller: { applicationId: 'app', keyId }, ttlSeconds: 86_400 };
      for (let count = 0; count < 2; count++) await transact((tx) => tx.issueGrant(grant));
      const [first] = await fixture.sql('select min(seq) as seq from grants');
      await transact((tx) => tx.claimGrant(Number(first?.seq), '192.0.2.1'));
      await age('grants', 'expires_at', 29);
      expect(await drop()).toBe(0);
      await age('grants', 'expires_at', 3);
      expect(await drop()).toBe(1);
      expect(await fixture.sql('select state from grants')).toEqual([{ state: 'claimed' }]);
    });

    it('drops nodes so long after they were taken over, and none that stands', async () => {
      for (const id of ['dead', 'alive']) await transact((tx) => tx.addNode(id));
      await age('nodes', 'joined_at', 400);
      await transact((tx) => tx.takeOverNode({ nodeId: 'dead', beats: 0 }, 'alive'));
      expect(await drop()).toBe(0);
      await age('nodes', 'taken_over_at', 31);
      expect(await drop()).toBe(1);
      expect(await idsOf('nodes')).toEqual(['', 'alive']);
    });
  });
