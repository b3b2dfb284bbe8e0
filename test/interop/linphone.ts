import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Codec } from '../../src/domain/codec.ts';
import { ADDRESS } from '../support/media.ts';
import { findFreePort, type PeerProgram, startPeer } from './peer-program.ts';

const WAV_HEADER_BYTES = 44;

const codecLines = (codec: Codec): string =>
  ['PCMU', 'PCMA']
    .map((mime, at) => `[audio_codec_${at}]\nmime=${mime}\nrate=8000\nchannels=1\nenabled=${Number(mime === codec)}\n`)
    .join('');

const config = (sipPort: number, rtpPort: number, codec: Codec): string => `[sip]
sip_port=${sipPort}
sip_tcp_port=0
sip_tls_port=0
bind_address=${ADDRESS}
guess_hostname=0
[rtp]
audio_rtp_port=${rtpPort}
audio_adaptive_jitt_comp_enabled=0
[sound]
echocancellation=0
${codecLines(codec)}`;

export interface Linphone extends PeerProgram {
  readonly uri: string;
  /** What it heard; ends it first. Its header says 44 octets too many, so it is not asked. */
  recording(): Promise<Int16Array>;
}

/** One that answers every call with the codec, and hears with a file for a sound card. */
export const startLinphone = async (codec: Codec): Promise<Linphone> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-linphone-'));
  const [sipPort, rtpPort] = [await findFreePort(), await findFreePort()];
  // It does not start without a folder for its database, and does not make one.
  await mkdir(join(folder, '.local/share/linphone'), { recursive: true });
  await writeFile(join(folder, 'linphonerc'), config(sipPort, rtpPort, codec));
  const peer = startPeer('linphonec', ['-c', join(folder, 'linphonerc'), '-a'], folder);
  onTestFinished(async () => {
    await peer.end('SIGKILL');
    await rm(folder, { recursive: true });
  });
  peer.type('soundcard use files');
  peer.type(`record ${folder}/heard.wav`);
  await peer.until('record ');
  const recording = async () => {
    peer.type('quit');
    await peer.exited;
    const data = (await readFile(join(folder, 'heard.wav'))).subarray(WAV_HEADER_BYTES);
    return Int16Array.from({ length: data.length >> 1 }, (_, i) => data.readInt16LE(i * 2));
  };
  return { ...peer, uri: `sip:phone@${ADDRESS}:${sipPort}`, recording };
};
