import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { startStorm } from '../../test/support/stranger-storm.ts';

const MESSAGES = 100_000;
const CALLS = 20;
/** A leak of 200 octets a message would be twice as much. */
const FLAT_BYTES = 10 * 1024 * 1024;

const heapBytes = (): number => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
};

// Strangers need an address of their own, which only Linux has on its loopback without being told to.
test.runIf(process.platform === 'linux')(
  `${MESSAGES} messages of strangers during ${CALLS} calls: no answer, no call disturbed, no memory kept`,
  async () => {
    const storm = await startStorm(CALLS);
    const before = storm.counts();
    await storm.blow(MESSAGES / 10, null);
    const warmBytes = heapBytes();
    await storm.blow(MESSAGES, null);
    expect(heapBytes() - warmBytes).toBeLessThan(FLAT_BYTES);
    expect(storm.received()).toBeGreaterThan(MESSAGES / 2);
    expect([storm.answered(), storm.counts()]).toEqual([0, before]);
    const { results, ended } = await storm.finish();
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(CALLS).fill('completed'));
    expect(ended).toBe(CALLS);
    expect(storm.counts()).toEqual({ calls: 0, dialogs: 0, transactions: 0 });
  },
  120_000,
);
