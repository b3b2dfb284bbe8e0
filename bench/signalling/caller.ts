// Ringcast's user agent in a process of its own: `caller.ts ORDER`, ORDER and the one line that it answers being JSON.
import type { CallOrder } from '../../src/domain/call.ts';
import { newOrder, openAgent, openMedia } from '../support/agent.ts';
import type { CallerOrder, CallFigures } from './caller-order.ts';
import { createSilentMedia } from './silent-media.ts';

const EMPTY = new SharedArrayBuffer(0);
const CLIPS: CallOrder['clips'] = [
  { key: 'empty', mediaId: '1', frameCount: 0, renditions: { opus: EMPTY, G722: EMPTY, PCMU: EMPTY, PCMA: EMPTY } },
];

const run = async (order: CallerOrder): Promise<CallFigures> => {
  const { agent, close } = await openAgent(order.media === 'none' ? createSilentMedia() : await openMedia());
  const placeMany = async (calls: number): Promise<void> => {
    let left = calls;
    const keepCalling = async (): Promise<void> => {
      while (left-- > 0) {
        const { outcome, sipReason } = await agent.placeCall(newOrder(order.phonePort, CLIPS), () => undefined).result;
        if (outcome !== 'completed') throw new Error(`A call ended ${outcome}: ${sipReason}`);
      }
    };
    await Promise.all(Array.from({ length: order.callsAtOnce }, keepCalling));
  };
  await placeMany(order.warmUpCalls);
  const startedMs = performance.now();
  const before = process.cpuUsage();
  await placeMany(order.calls);
  const { user, system } = process.cpuUsage(before);
  const figures = { calls: order.calls, seconds: (performance.now() - startedMs) / 1_000 };
  await close();
  return { ...figures, cpuSeconds: (user + system) / 1e6 };
};

const order: CallerOrder = JSON.parse(process.argv[2] ?? '');
process.stdout.write(`${JSON.stringify(await run(order))}\n`);
