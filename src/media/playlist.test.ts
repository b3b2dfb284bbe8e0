import { describe, expect, it, onTestFinished } from 'vitest';
import { expectTrueNumbers, makeClip, openRtpPeer, PLAIN, payloads, startThread } from '../../test/support/media.ts';
import { CODECS, type Codec, renditionBytes } from '../domain/codec.ts';
import { NO_SILENCES, type Silences } from '../domain/silences.ts';
import { decodeAlaw, decodeUlaw } from '../rtp/g711.ts';
import type { MediaPort, PlayTarget } from './link.ts';
import { createPlaylist } from './playlist.ts';

const SILENCES: Silences = { leadInMs: 60, gapMs: 40, tailMs: 20 };
const CLIPS = [makeClip(1, 3), makeClip(2, 1), makeClip(3, 2)];

describe('a playlist with silences', () => {
  const playlist = createPlaylist(CLIPS, SILENCES);

  it('has them before, between and behind the clips, each length made once', () => {
    expect(playlist.parts.map(({ frameCount }) => frameCount)).toEqual([3, 3, 2, 1, 2, 2, 1]);
    expect(playlist.parts[2]).toBe(playlist.parts[4]);
    expect(createPlaylist(CLIPS, SILENCES).parts[0]).toBe(playlist.parts[0]);
    expect(createPlaylist(CLIPS, NO_SILENCES).parts).toEqual(CLIPS);
    expect(createPlaylist([], SILENCES).parts).toEqual([]);
  });

  it('tells of the clips alone', () => {
    expect(playlist.ofClips([3, 30, 2, 10, 2, 20, 1])).toEqual([30, 10, 20]);
  });

  it.each([
    ['before the first clip', 0, 40, { clip: 0, placeMs: 0 }],
    ['in the first clip', 1, 40, { clip: 0, placeMs: 40 }],
    ['behind the first clip', 2, 20, { clip: 0, placeMs: 60 }],
    ['in the second clip', 3, 20, { clip: 1, placeMs: 20 }],
    ['behind the last clip', 6, 20, { clip: 2, placeMs: 40 }],
    ['when all is over', 7, 0, { clip: 2, placeMs: 40 }],
  ])('places what happens %s', (_, clip, placeMs, place) => {
    expect(playlist.placeOf({ clip, placeMs })).toEqual(place);
  });

  it('is silent in G.711 to the sample, and has whole frames of every codec', () => {
    const [silence] = playlist.parts;
    for (const codec of CODECS) expect(silence?.renditions[codec].byteLength).toBe(renditionBytes(codec, 3));
    const octets = (codec: Codec) => new Uint8Array(silence?.renditions[codec] ?? new SharedArrayBuffer(0));
    expect(decodeUlaw(octets('PCMU'))).toEqual(new Int16Array(480));
    expect(Math.max(...decodeAlaw(octets('PCMA')).map(Math.abs))).toBeLessThanOrEqual(8);
  });
});

describe('silence on the wire', () => {
  const play = async (to: Pick<PlayTarget, 'codec' | 'payloadType' | 'packetTimeMs'>, packets: number) => {
    const [thread, peer] = [await startThread(), await openRtpPeer()];
    const port: MediaPort = await thread.prepare({ clips: CLIPS, silences: SILENCES });
    onTestFinished(() => port.stop());
    port.play({ ...peer, ...to, ...PLAIN });
    expect(await port.finished).toBe('played');
    await peer.until(packets);
    return { port, packets: peer.packets() };
  };

  it.each([
    ['PCMU', 0, 20, 14],
    ['PCMA', 8, 10, 28],
    ['G722', 9, 30, 12],
    ['opus', 111, 20, 14],
    ['PCMU', 0, 60, 7],
  ] as const)('%s %i in packets of %i ms: frames like any others', async (codec, payloadType, packetTimeMs, count) => {
    const { port, packets } = await play({ codec, payloadType, packetTimeMs }, count);
    const { parts } = createPlaylist(CLIPS, SILENCES);
    expect(packets).toHaveLength(count);
    expect(payloads(packets)).toEqual(Buffer.concat(parts.map(({ renditions }) => new Uint8Array(renditions[codec]))));
    expect(port.framesSent()).toEqual([3, 1, 2]);
    expect(port.place()).toEqual({ clip: 2, placeMs: 40 });
    expect(packets[0]?.marker).toBe(true);
  });

  it('leaves numbers and timestamps true', async () => {
    const { packets } = await play({ codec: 'PCMU', payloadType: 0, packetTimeMs: 20 }, 14);
    expectTrueNumbers(packets);
  });
});
