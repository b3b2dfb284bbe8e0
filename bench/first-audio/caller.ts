// The user agent and its media thread in a process of their own: `caller.ts ORDER`. Its one line comes when the measured
// calls have ended.
import { setTimeout as sleep } from 'node:timers/promises';
import { random } from '../../src/clock.ts';
import type { ClipAudio } from '../../src/domain/call.ts';
import { renditionBytes } from '../../src/domain/codec.ts';
import { sharedRenditions } from '../../test/support/renditions.ts';
import { newOrder, openAgent, openMedia } from '../support/agent.ts';
import { type CallerOrder, MEASURED_CALL_ID } from './figures.ts';

const FRAMES_PER_SECOND = 50;
/** Longer than any run. */
const LONG_SECONDS = 600;
/** INVITEs under way while the calls in progress are set up. */
const AT_ONCE = 64;
/** So many pairs that none is used again. */
const RTP_PORTS = [16_384, 32_766] as const;

const order: CallerOrder = JSON.parse(process.argv[2] ?? '');

const makeClip = (seconds: number): ClipAudio => {
  const frameCount = seconds * FRAMES_PER_SECOND;
  const renditions = sharedRenditions((codec) => new SharedArrayBuffer(renditionBytes(codec, frameCount)));
  return { key: `${seconds} s`, mediaId: null, frameCount, renditions };
};

const { agent, close } = await openAgent(await openMedia(RTP_PORTS));

const startLongCall = (clips: readonly ClipAudio[]): Promise<void> =>
  new Promise((resolve) => {
    agent.placeCall(newOrder(order.phonePort, clips), ({ kind }) => kind === 'answered' && resolve());
  });

const long = [makeClip(LONG_SECONDS)];
for (let left = order.inProgress; left > 0; left -= AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, () => startLongCall(long)));

const short = [makeClip(1)];
const results: Promise<void>[] = [];
const startMs = performance.now();
while (results.length < order.measured) {
  await sleep(Math.max(0, startMs + (1000 * results.length) / order.perSecond - performance.now()));
  const sipCallId = `${MEASURED_CALL_ID}${random.hex(12)}`;
  const { result } = agent.placeCall({ ...newOrder(order.phonePort, short), sipCallId }, () => undefined);
  results.push(
    result.then(({ outcome, sipReason }) => {
      if (outcome !== 'completed') throw new Error(`A call ended ${outcome}: ${sipReason}`);
    }),
  );
}
await Promise.all(results);
process.stdout.write(`${JSON.stringify({ ended: results.length })}\n`);
await close();
