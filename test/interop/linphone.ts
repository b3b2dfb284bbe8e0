import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { CODEC_FRAMES, CODECS, type Codec } from '../../src/domain/codec.ts';
import { ADDRESS } from '../support/media.ts';
import { findFreePort, type PeerProgram, startPeer } from './peer-program.ts';
import type { Sound } from './speech.ts';

const WAV_HEADER_BYTES = 44;

/** As linphone lists them: G.722 by the clock of its timestamps, Opus with the two channels of its name in SDP. */
const FORMATS = { PCMU: [8000, 1], PCMA: [8000, 1], G722: [8000, 1], opus: [48_000, 2] } as const;

const codecLines = (codec: Codec): string =>
  CODECS.map((mime, at) => {
    const [rate, channels] = FORMATS[mime];
    const isEnabled = Number(mime === codec);
    return `[audio_codec_${at}]\nmime=${mime}\nrate=${rate}\nchannels=${channels}\nenabled=${isEnabled}\n`;
  }).join('');

const config = (sipPort: number, rtpPort: number, codec: Codec, sealing: string): string => `[sip]
sip_port=${sipPort}
sip_tcp_port=0
sip_tls_port=0
bind_address=${ADDRESS}
guess_hostname=0
media_encryption=${sealing}
use_info=1
use_rfc2833=0
[rtp]
audio_rtp_port=${rtpPort}
audio_adaptive_jitt_comp_enabled=0
[sound]
echocancellation=0
${codecLines(codec)}`;

export interface Linphone extends PeerProgram {
  readonly uri: string;
  /** What it heard; ends it first. Its header says 44 octets too many, so it is not asked. */
  recording(): Promise<Sound>;
}

/** One that answers every call with the codec, hears with a file for a sound card, and sends keys by INFO. */
export const startLinphone = async (codec: Codec, sealing: 'none' | 'srtp' = 'none'): Promise<Linphone> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-linphone-'));
  const [sipPort, rtpPort] = [await findFreePort(), await findFreePort()];
  // It does not start without a folder for its database, and does not make one.
  await mkdir(join(folder, '.local/share/linphone'), { recursive: true });
  await writeFile(join(folder, 'linphonerc'), config(sipPort, rtpPort, codec, sealing));
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
    const samples = Int16Array.from({ length: data.length >> 1 }, (_, i) => data.readInt16LE(i * 2));
    return { samples, sampleRateHz: CODEC_FRAMES[codec].sampleRateHz };
  };
  return { ...peer, uri: `sip:phone@${ADDRESS}:${sipPort}`, recording };
};
