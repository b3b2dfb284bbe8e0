import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { CarriedCodec } from '../../src/domain/codec.ts';
import { readWav } from '../../src/rtp/wav.ts';
import { ADDRESS } from '../support/media.ts';
import { essenceOf, noiseClip, openCaller, samplesOf } from './caller.ts';
import { describeWithPeer, findFreePort, type PeerProgram, startPeer } from './peer-program.ts';

/**
 * No sound device: without a source and a player, `sndfile` alone writes what the decoder gave, sample for sample. The
 * jitter buffer is off because it would keep back the last frames until more arrive.
 */
const config = (folder: string, sipPort: number, rtpPort: number): string => `
sip_listen ${ADDRESS}:${sipPort}
rtp_ports ${rtpPort}-${rtpPort + 20}
jitter_buffer_delay 0-0
call_max_calls 1
module_path /usr/lib/baresip/modules
module g711.so
module sndfile.so
module_tmp account.so
module_app menu.so
snd_path ${folder}
`;

interface Baresip extends PeerProgram {
  readonly uri: string;
  /** What it heard; ends it first, so that the recording is whole. */
  recording(): Promise<Int16Array>;
}

const startBaresip = async (codec: CarriedCodec): Promise<Baresip> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-baresip-'));
  const [sipPort, rtpPort] = [await findFreePort(), await findFreePort()];
  const uri = `sip:phone@${ADDRESS}:${sipPort}`;
  await writeFile(join(folder, 'config'), config(folder, sipPort, rtpPort));
  await writeFile(join(folder, 'accounts'), `<${uri}>;regint=0;answermode=auto;audio_codecs=${codec}/8000/1\n`);
  const peer = startPeer('baresip', ['-4', '-n', ADDRESS, '-f', folder, '-v'], folder);
  onTestFinished(async () => {
    await peer.end('SIGKILL');
    await rm(folder, { recursive: true });
  });
  await peer.until('baresip is ready');
  const recording = async () => {
    await peer.end('SIGTERM');
    const [name] = (await readdir(folder)).filter((file) => file.endsWith('-dec.wav'));
    if (name === undefined) throw new Error(`baresip recorded nothing:\n${peer.output()}`);
    return readWav(await readFile(join(folder, name))).samples;
  };
  return { ...peer, uri, recording };
};

/** libre's table answers 2 and -2 for the two μ-law codes of zero, where G.711 has 0; no other code gives these. */
const zeroAsInG711 = (samples: Int16Array): Int16Array =>
  samples.map((sample) => (Math.abs(sample) === 2 ? 0 : sample));

const firstDifference = (heard: Int16Array, sent: Int16Array): number =>
  heard.findIndex((sample, index) => sample !== sent[index]);

describeWithPeer('baresip', 'baresip-core', () => {
  it.each(['PCMU', 'PCMA'] as const)(
    'hears every sample of the playlist in %s, first and last included',
    async (codec) => {
      const baresip = await startBaresip(codec);
      const caller = await openCaller();
      const clips = [noiseClip('greeting', 60), noiseClip('first', 75), noiseClip('second', 1)];
      const result = await caller.ring(baresip.uri, { clips }).result;
      expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec, framesSent: [60, 75, 1] });
      await baresip.until('terminated');
      const heard = zeroAsInG711(await baresip.recording());
      const sent = samplesOf(clips, codec);
      expect({ length: heard.length, firstDifference: firstDifference(heard, sent) }).toEqual({
        length: sent.length,
        firstDifference: -1,
      });
    },
  );

  it('answers our health check', async () => {
    const baresip = await startBaresip('PCMU');
    const caller = await openCaller();
    const port = Number(baresip.uri.split(':').at(-1));
    expect(await caller.probe(port)).toBe(true);
  });

  it('is unreachable under a name it does not have', async () => {
    const baresip = await startBaresip('PCMU');
    const caller = await openCaller();
    const destination = baresip.uri.replace('phone', 'nobody');
    const result = await caller.ring(destination, { clips: [noiseClip('a', 5)] }).result;
    expect(essenceOf(result)).toMatchObject({ outcome: 'unreachable', sipStatus: 404, framesSent: [0] });
  });
});
