import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { describeEvent } from './command.ts';

const RUN = `
  const { runPhone } = await import(${JSON.stringify(new URL('./command.ts', import.meta.url).href)});
  const listen = { address: '127.0.0.1', port: 0 };
  await runPhone({ listen, recordDirectory: null, answerAfterMs: 0, behaviour: 'answer', certificate: null });
`;

describe('the phone command', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('says when it is ready, and ends well on %s', async (signal) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', RUN], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface(child.stdout), 'line');
    expect(JSON.parse(line)).toEqual({ ready: true, sip: expect.stringMatching(/^sip:127\.0\.0\.1:[0-9]+$/) });
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  const sipCallId = 'x';
  const reception = { packets: 9, lost: 1, duplicates: 2, outOfOrder: 3, jitterMs: 0.6, firstPacketAfterMs: 1 };

  it.each([
    [{ type: 'invite', sipCallId, from: 'sip:a@b' }, 'call from sip:a@b'],
    [{ type: 'answered', sipCallId, codec: 'PCMA' }, 'answered (PCMA)'],
    [{ type: 'ended', sipCallId, how: 'refused', sipStatus: 486, reception: null }, 'ended: refused, status 486'],
    [
      { type: 'ended', sipCallId, how: 'bye', sipStatus: 200, reception },
      'ended: bye; 9 packets, 1 lost, 2 twice, 3 out of order, jitter 1 ms',
    ],
    [{ type: 'recorded', sipCallId, path: '/r.wav', samples: 1_600, pauses: [] }, 'recorded /r.wav (200 ms)'],
    [{ type: 'not_recorded', sipCallId, reason: 'disk full' }, 'not recorded: disk full'],
  ] as const)('says %j in words', (event, words) => {
    expect(describeEvent(event)).toBe(words);
  });
});
