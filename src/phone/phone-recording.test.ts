import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callAndAcknowledge, offer, openHandCaller } from '../../test/support/hand-caller.ts';
import { type EventOf, makeRecordDirectory, openTestPhone } from '../../test/support/test-phone.ts';
import { decodeAlaw, decodeUlaw } from '../rtp/g711.ts';
import { RTP_HEADER_BYTES, writeRtpHeader } from '../rtp/packet.ts';
import { readWav } from '../rtp/wav.ts';

/** Somebody who speaks RTP by hand. */
const openVoice = async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return {
    /** Sends frame number `n` of a stream; resolves when the kernel has it. */
    send: (mediaPort: number, n: number, payload: Uint8Array, header: { ssrc?: number; payloadType?: number } = {}) => {
      const packet = new Uint8Array(RTP_HEADER_BYTES + payload.length);
      const { ssrc = 7, payloadType = 0 } = header;
      const numbers = { sequence: 65_530 + n, timestamp: 0xffffff00 + 160 * n };
      writeRtpHeader(packet, { payloadType, marker: n === 0, ssrc, ...numbers });
      packet.set(payload, RTP_HEADER_BYTES);
      return new Promise<void>((resolve, reject) => {
        socket.send(packet, mediaPort, '127.0.0.1', (error) => (error ? reject(error) : resolve()));
      });
    },
  };
};

/** A frame of one octet; different for each `n` below 64. */
const frame = (n: number): Uint8Array => new Uint8Array(160).fill(0x20 + n);
const heard = (...frames: readonly number[]): Int16Array => decodeUlaw(Buffer.concat(frames.map(frame)));
const SILENCE = new Int16Array(160);
const join16 = (...parts: readonly Int16Array[]): Int16Array => Int16Array.from(parts.flatMap((part) => [...part]));

const samplesOf = async (path: string): Promise<Int16Array> => readWav(await readFile(path)).samples;

describe('a recording', () => {
  /** One call, with voice between ACK and BYE. */
  const recordCall = async (speak: (say: Speak) => Promise<void>, sdp = offer()) => {
    const directory = await makeRecordDirectory();
    const { phone, until } = await openTestPhone({ recordDirectory: directory });
    const [caller, voice] = [await openHandCaller(phone), await openVoice()];
    const { toTag, mediaPort } = await callAndAcknowledge(caller, 'call-1@test', sdp);
    await speak((n, payload = frame(n), header = {}) => voice.send(mediaPort, n, payload, header));
    caller.request('BYE', { toTag, seq: 2 });
    const recorded = await until('recorded');
    return { recorded, ended: await until('ended'), samples: await samplesOf(recorded.path), directory };
  };
  type Speak = (n: number, payload?: Uint8Array, header?: { ssrc?: number; payloadType?: number }) => Promise<void>;

  it('holds every frame, first and last included, in a file named by time and Call-ID', async () => {
    const { recorded, samples, ended, directory } = await recordCall(async (say) => {
      for (let n = 0; n < 10; n += 1) await say(n);
    });
    expect(samples).toEqual(heard(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    expect(recorded).toMatchObject({ samples: 1_600, pauses: [] });
    expect(ended.reception).toMatchObject({ packets: 10, lost: 0, duplicates: 0, outOfOrder: 0 });
    const [file] = await readdir(directory);
    expect(recorded.path).toBe(join(directory, file ?? ''));
    expect(file).toMatch(/^[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-call-1_test-[0-9a-f]+\.wav$/);
  });

  it('sorts, drops duplicates, and is silent where a frame was lost', async () => {
    const { samples, ended } = await recordCall(async (say) => {
      for (const n of [1, 0, 2, 2, 5, 3, 1]) await say(n);
    });
    expect(samples).toEqual(join16(heard(0, 1, 2, 3), SILENCE, heard(5)));
    expect(ended.reception).toMatchObject({ packets: 5, lost: 1, duplicates: 2, outOfOrder: 2 });
  });

  it('is complete though BYE overtook a backlog of voice', async () => {
    const frames = Array.from({ length: 64 }, (_, n) => n);
    const { samples } = await recordCall(async (say) => {
      await Promise.all([...frames, ...frames, ...frames].map((n) => say(n)));
    });
    expect(samples).toEqual(heard(...frames));
  });

  it('is decoded by the codec that was agreed', async () => {
    const { samples } = await recordCall((say) => say(0, frame(0), { payloadType: 8 }), offer('8'));
    expect(samples).toEqual(decodeAlaw(frame(0)));
  });

  it('ignores other payload types, other sources, and what is no RTP', async () => {
    const { samples, ended } = await recordCall(async (say) => {
      await say(0, frame(9), { payloadType: 101 });
      await say(0);
      await say(1, frame(9), { ssrc: 8 });
      await say(1);
    });
    expect(samples).toEqual(heard(0, 1));
    expect(ended.reception).toMatchObject({ packets: 2, duplicates: 0 });
  });

  it('is empty when nothing was said', async () => {
    const { samples, ended } = await recordCall(async () => {});
    expect(samples).toHaveLength(0);
    expect(ended.reception).toMatchObject({ packets: 0, firstPacketAfterMs: null });
  });

  it('that cannot be written is told, and the phone goes on', async () => {
    const directory = await makeRecordDirectory();
    const { phone, until } = await openTestPhone({ recordDirectory: directory });
    const caller = await openHandCaller(phone);
    const { toTag } = await callAndAcknowledge(caller);
    await rm(directory, { recursive: true });
    caller.request('BYE', { toTag, seq: 2 });
    await caller.nextOf(200);
    expect(await until('not_recorded')).toMatchObject({ reason: expect.stringContaining('ENOENT') });
    await callAndAcknowledge(caller, 'call-2@test');
    await until('answered', 2);
  });

  it('of a call never answered does not exist', async () => {
    const directory = await makeRecordDirectory();
    const { phone, until } = await openTestPhone({ recordDirectory: directory, behaviour: 'busy' });
    (await openHandCaller(phone)).request('INVITE', { body: offer() });
    await until('ended');
    expect(await readdir(directory)).toEqual([]);
  });

  it('goes to a folder that is made if it is missing, and must be one', async () => {
    const directory = await makeRecordDirectory();
    await openTestPhone({ recordDirectory: join(directory, 'a', 'b') });
    expect(await readdir(join(directory, 'a'))).toEqual(['b']);
    await writeFile(join(directory, 'file'), '');
    await expect(openTestPhone({ recordDirectory: join(directory, 'file') })).rejects.toThrow('EEXIST');
  });

  it('takes several calls at once and keeps them apart', async () => {
    const directory = await makeRecordDirectory();
    const { phone, events, until } = await openTestPhone({ recordDirectory: directory });
    const [caller, voice] = [await openHandCaller(phone), await openVoice()];
    const calls = [];
    for (const n of [1, 2, 3]) calls.push(await callAndAcknowledge(caller, `call-${n}@test`));
    expect(new Set(calls.map(({ mediaPort }) => mediaPort)).size).toBe(3);
    for (const [i, { mediaPort }] of calls.entries()) await voice.send(mediaPort, 0, frame(i));
    for (const { callId, toTag } of calls) caller.request('BYE', { callId, toTag, seq: 2 });
    await until('recorded', 3);
    const recorded = events.filter((event): event is EventOf<'recorded'> => event.type === 'recorded');
    const samples = new Map(
      await Promise.all(recorded.map(async (r) => [r.sipCallId, await samplesOf(r.path)] as const)),
    );
    expect(samples).toEqual(
      new Map([
        ['call-1@test', heard(0)],
        ['call-2@test', heard(1)],
        ['call-3@test', heard(2)],
      ]),
    );
  });
});
