import { describe, expect, it } from 'vitest';
import { makeClip, openRtpPeer, PCMU, prepare, startThread } from '../../test/support/media.ts';
import { MAX_CLIPS_PER_CALL } from './counters.ts';

describe('a row of the media thread', () => {
  it('is of one call after the other: what is over keeps its figures, and its orders reach nobody', async () => {
    const thread = await startThread();
    const peer = await openRtpPeer();
    const over = await prepare(thread, makeClip(1, 3));
    over.play({ ...peer, ...PCMU });
    await over.finished;
    await over.stop();
    const next = await prepare(thread, makeClip(2, 5));
    expect(next.packetsSent()).toBe(0);
    expect(next.framesSent()).toEqual([0]);
    next.play({ ...peer, ...PCMU });
    over.hold();
    await over.stop();
    expect(await next.finished).toBe('played');
    expect(next.framesSent()).toEqual([5]);
    expect(over.packetsSent()).toBe(3);
    expect(over.framesSent()).toEqual([3]);
    expect(over.place()).toEqual({ clip: 0, placeMs: 60 });
  });

  it('has room for so many clips, and more are refused', async () => {
    const thread = await startThread();
    const peer = await openRtpPeer();
    const clips = Array.from({ length: MAX_CLIPS_PER_CALL + 1 }, () => makeClip(1, 0));
    await expect(prepare(thread, ...clips)).rejects.toThrow(/203 clips at most/);
    const full = await prepare(thread, ...clips.slice(2), makeClip(1, 1));
    full.play({ ...peer, ...PCMU });
    expect(await full.finished).toBe('played');
    expect(full.framesSent()).toEqual([...Array<number>(MAX_CLIPS_PER_CALL - 1).fill(0), 1]);
  });
});
