import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DialerFixture, openDialerFixture } from '../../test/support/dialer-fixture.ts';
import { NO_METRICS } from '../../test/support/no-metrics.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Store } from '../domain/store-port.ts';

let line: DialerFixture;
beforeEach(async () => {
  line = await openDialerFixture();
});
afterEach(() => line.close());

describe('the dialer', () => {
  it('commits the attempt with the names of its dialog before it dials', async () => {
    await line.acceptBlast('1', ['sip:a@127.0.0.1']);
    const dialer = line.dialerOf();
    dialer.start();
    await line.dialledCalls(1);
    const committed = (await line.store.view((views) => views.findBlast('1')))?.calls[0]?.attempts[0]?.sipCallId;
    expect(line.dialled[0]?.order.sipCallId).toBe(committed);
    expect(line.dialled[0]?.order.branch).toMatch(/^z9hG4bK/);
    line.dialled[0]?.end('completed');
    expect(await line.finished('1')).toEqual(['completed']);
  });

  it('claims nothing while the lease of its node has run out, and goes on when it holds again', async () => {
    line.switches.mayDial = false;
    await line.acceptBlast('1', ['sip:a@127.0.0.1']);
    line.dialerOf().start();
    while (line.timers.length === 0) await new Promise(setImmediate);
    expect(line.dialled).toEqual([]);
    expect(await line.outcomesOf('1')).toEqual([null]);
    line.switches.mayDial = true;
    line.timers.shift()?.wake();
    await line.dialledCalls(1);
  });

  it('does not dial what it has claimed when the lease of its node runs out before the first octet', async () => {
    let asked = 0;
    Object.defineProperty(line.switches, 'mayDial', { get: () => asked++ === 0 });
    await line.acceptBlast('1', ['sip:a@127.0.0.1']);
    line.dialerOf().start();
    expect(await line.finished('1')).toEqual(['interrupted']);
    expect(line.dialled).toEqual([]);
  });

  it('notes the calls that expired, once they are committed as such', async () => {
    await line.acceptBlast('1', ['sip:a@127.0.0.1', 'sip:b@127.0.0.1'], [], 0);
    const noted: [Outcome, number][] = [];
    const noteEndedUndialled = (outcome: Outcome, calls: number) => void (calls > 0 && noted.push([outcome, calls]));
    line.dialerOf({ metrics: { ...NO_METRICS, noteEndedUndialled } }).start();
    expect(await line.finished('1')).toEqual(['expired', 'expired']);
    expect(noted).toEqual([['expired', 2]]);
    expect(line.dialled).toEqual([]);
  });

  it('wakes for a blast that is accepted later', async () => {
    const dialer = line.dialerOf();
    dialer.start();
    await line.acceptBlast('1', ['sip:a@127.0.0.1']);
    dialer.wake();
    await line.dialledCalls(1);
    expect(dialer.framesSent(line.dialled[0]?.order.attemptId ?? '')).toEqual([7]);
    line.dialled[0]?.end('busy');
    expect(await line.finished('1')).toEqual(['busy']);
  });

  it('keeps to the number of calls at once', async () => {
    await line.acceptBlast('1', ['sip:a@127.0.0.1', 'sip:b@127.0.0.1', 'sip:c@127.0.0.1']);
    const dialer = line.dialerOf({ maxConcurrentCalls: 2 });
    dialer.start();
    await line.dialledCalls(2);
    expect(line.dialled).toHaveLength(2);
    line.dialled[0]?.end('completed');
    await line.dialledCalls(3);
    for (const call of line.dialled) call.end('completed');
    expect(await line.finished('1')).toEqual(['completed', 'completed', 'completed']);
  });

  it('lets calls wait while voice is overloaded', async () => {
    await line.acceptBlast('1', ['sip:a@127.0.0.1', 'sip:b@127.0.0.1']);
    let isOverloaded = true;
    const dialer = line.dialerOf({ isOverloaded: () => isOverloaded });
    dialer.start();
    while (line.timers.length === 0) await new Promise(setImmediate);
    expect(line.dialled).toHaveLength(0);
    isOverloaded = false;
    line.timers[0]?.wake();
    await line.dialledCalls(2);
    for (const call of line.dialled) call.end('completed');
    expect(await line.finished('1')).toEqual(['completed', 'completed']);
  });

  it('takes the first trunk that is up and allows the number', async () => {
    await line.makeTrunk('down');
    await line.makeTrunk('elsewhere', ['+44']);
    await line.makeTrunk('good', ['+1555']);
    line.trunkStates.set('down', 'down');
    await line.acceptBlast('1', ['+15551230000'], ['down', 'elsewhere', 'good']);
    line.dialerOf().start();
    await line.dialledCalls(1);
    expect(line.dialled[0]?.order).toMatchObject({ trunk: { id: 'good' }, codecs: ['PCMA'] });
    line.dialled[0]?.end('completed');
    await line.finished('1');
  });

  it('knows a trunk that is as young as its first blast', async () => {
    let isMade = false;
    const busy: Store = {
      ...line.store,
      // Trunk and blast are committed right before the claim, after everything else that the dialer looked at.
      transact: async (work) => {
        if (!isMade) {
          isMade = true;
          await line.makeTrunk('young');
          await line.acceptBlast('1', ['+15551230000'], ['young']);
        }
        return line.store.transact(work);
      },
    };
    line.dialerOf({ store: busy }).start();
    await line.dialledCalls(1);
    expect(line.dialled[0]?.order.trunk?.id).toBe('young');
    line.dialled[0]?.end('completed');
    expect(await line.finished('1')).toEqual(['completed']);
  });

  it('hands over user name and password of the trunk, to it alone', async () => {
    const credentials = { username: 'ringcast', password: 'correct horse' };
    await line.makeTrunk('closed', ['+'], credentials);
    await line.makeTrunk('open');
    await line.acceptBlast('1', ['+15551230000'], ['closed']);
    await line.acceptBlast('2', ['+15551230001'], ['open']);
    line.dialerOf().start();
    await line.dialledCalls(2);
    const byTrunk = new Map(line.dialled.map(({ order }) => [order.trunk?.id, order.trunk?.credentials]));
    expect([byTrunk.get('closed'), byTrunk.get('open')]).toEqual([credentials, null]);
    for (const call of line.dialled) call.end('completed');
    await line.finished('1');
  });

  it('leaves calls waiting while their trunk is held, and takes another trunk if there is one', async () => {
    for (const id of ['held', 'other']) await line.makeTrunk(id);
    line.admissions.set('held', 'held');
    line.trunkStates.set('held', 'down');
    await line.acceptBlast('1', ['+15551230000'], ['held']);
    await line.acceptBlast('2', ['+15551230001'], ['held', 'other']);
    const dialer = line.dialerOf();
    dialer.start();
    await line.dialledCalls(1);
    line.dialled[0]?.end('completed');
    await line.finished('2');
    expect([line.dialled.map(({ order }) => order.trunk?.id), await line.outcomesOf('1')]).toEqual([['other'], [null]]);
    line.admissions.set('held', 'open');
    line.trunkStates.set('held', 'up');
    dialer.wake();
    await line.dialledCalls(2);
    line.dialled[1]?.end('completed');
    expect(await line.finished('1')).toEqual(['completed']);
  });

  it('gives a trunk on trial one call at a time, and none that another trunk can carry', async () => {
    for (const id of ['trial', 'other']) await line.makeTrunk(id);
    line.admissions.set('trial', 'trial');
    await line.acceptBlast('1', ['+15551230000', '+15551230001'], ['trial']);
    await line.acceptBlast('2', ['+15551230002'], ['trial', 'other']);
    const dialer = line.dialerOf();
    dialer.start();
    await line.dialledCalls(1);
    const [trial] = line.dialled;
    expect(trial?.order.trunk?.id).toBe('trial');
    await new Promise(setImmediate);
    dialer.wake();
    expect(line.dialled.filter(({ order }) => order.trunk?.id === 'trial')).toHaveLength(1);
    line.admissions.set('trial', 'open');
    trial?.end('completed');
    await line.dialledCalls(3);
    for (const call of line.dialled) call.end('completed');
    await line.finished('1');
    expect(await line.finished('2')).toEqual(['completed']);
  });

  it('does not dial a number that no trunk allows any more', async () => {
    await line.makeTrunk('t', ['+44']);
    await line.acceptBlast('1', ['+15551230000'], ['t']);
    line.dialerOf().start();
    expect(await line.finished('1')).toEqual(['failed']);
    expect(line.dialled).toEqual([]);
  });

  it('takes another slot for a call whose own has passed', async () => {
    await line.acceptBlast('1', ['sip:a@127.0.0.1', 'sip:b@127.0.0.1']);
    line.dialerOf({ callsPerSecond: 10 }).start();
    await line.dialledCalls(1);
    /** The timer that waits for a slot; the other one looks for due calls. */
    const slot = async () => {
      for (;;) {
        const at = line.timers.findIndex(({ delayMs }) => delayMs !== 100);
        const [timer] = at < 0 ? [] : line.timers.splice(at, 1);
        if (timer) return timer;
        await new Promise(setImmediate);
      }
    };
    const first = await slot();
    line.clock.lateMs = 500;
    first.wake();
    const second = await slot();
    expect(line.dialled).toHaveLength(1);
    line.clock.lateMs += second.delayMs;
    second.wake();
    await line.dialledCalls(2);
    for (const call of line.dialled) call.end('completed');
    await line.finished('1');
  });

  it('hangs up what is cancelled', async () => {
    await line.acceptBlast('1', ['sip:a@127.0.0.1']);
    const dialer = line.dialerOf();
    dialer.start();
    await line.dialledCalls(1);
    dialer.cancel([line.dialled[0]?.order.attemptId ?? '', 'unknown']);
    expect(await line.finished('1')).toEqual(['cancelled']);
  });

  it('does not dial what was cancelled while it was being claimed', async () => {
    await line.acceptBlast('1', ['sip:a@127.0.0.1']);
    const dialer = line.dialerOf();
    dialer.start();
    const cancelled = await line.store.transact((tx) => tx.cancelBlast('1'));
    dialer.cancel(cancelled?.attemptIds ?? []);
    expect(await line.finished('1')).toEqual(['cancelled']);
    expect(line.dialled.every((call) => call.cancelled)).toBe(true);
  });

  it('records an outcome again until the store takes it', async () => {
    await line.acceptBlast('1', ['sip:a@127.0.0.1']);
    let refusals = 0;
    let isAway = false;
    const failing: Store = {
      ...line.store,
      transact: (work) => {
        if (!isAway) return line.store.transact(work);
        refusals += 1;
        return Promise.reject(new Error('away'));
      },
    };
    line.dialerOf({ store: failing }).start();
    await line.dialledCalls(1);
    isAway = true;
    line.dialled[0]?.end('completed');
    while (refusals < 3) {
      await new Promise(setImmediate);
      for (const timer of line.timers.splice(0)) timer.wake();
    }
    isAway = false;
    for (const timer of line.timers.splice(0)) timer.wake();
    expect(await line.finished('1')).toEqual(['completed']);
  });

  it('drains: takes nothing new and waits for calls in progress', async () => {
    await line.acceptBlast('1', ['sip:a@127.0.0.1']);
    const dialer = line.dialerOf();
    dialer.start();
    await line.dialledCalls(1);
    const drained = dialer.drain(60_000);
    expect(dialer.isDraining()).toBe(true);
    await line.acceptBlast('2', ['sip:b@127.0.0.1']);
    dialer.wake();
    line.dialled[0]?.end('completed');
    await drained;
    expect([await line.outcomesOf('1'), await line.outcomesOf('2')]).toEqual([['completed'], [null]]);
  });

  it('drains: what does not end in time is hung up and interrupted', async () => {
    await line.acceptBlast('1', ['sip:a@127.0.0.1']);
    const dialer = line.dialerOf();
    dialer.start();
    await line.dialledCalls(1);
    const drained = dialer.drain(30_000);
    line.timers.find(({ delayMs }) => delayMs === 30_000)?.wake();
    await drained;
    expect([line.dialled[0]?.cancelled, await line.outcomesOf('1')]).toEqual([true, ['interrupted']]);
  });

  it('drains: a peer that does not even answer the farewell holds nobody up', async () => {
    await line.acceptBlast('1', ['sip:deaf@127.0.0.1']);
    const dialer = line.dialerOf();
    dialer.start();
    await line.dialledCalls(1);
    const drained = dialer.drain(30_000);
    line.timers.find(({ delayMs }) => delayMs === 30_000)?.wake();
    expect(line.dialled[0]?.cancelled).toBe(true);
    line.timers.find(({ delayMs }) => delayMs === 5_000)?.wake();
    await drained;
    expect(await line.outcomesOf('1')).toEqual([null]);
    line.dialled[0]?.end('interrupted');
    await line.finished('1');
  });
});
