import { createSocket } from 'node:dgram';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { CODEC_FRAMES, type Codec } from '../../src/domain/codec.ts';
import { readWav, writeWav } from '../../src/rtp/wav.ts';
import type { CertificateFiles } from '../support/certificates.ts';
import { ADDRESS } from '../support/media.ts';
import { tone } from '../support/tones.ts';
import { findFreePort, type PeerProgram, startPeer } from './peer-program.ts';
import type { Sound } from './speech.ts';

/** Long enough for any call. */
const SAID = { hz: 440, seconds: 20, levelDb: -20 };

const CODECS = { PCMU: 'PCMU/8000/1', PCMA: 'PCMA/8000/1', G722: 'G722/16000/1', opus: 'opus/48000/1' } as const;

/**
 * No sound device: a file speaks, and without a player `sndfile` alone writes what the decoder gave, sample for sample. The jitter buffer is off because it would keep back the last frames until more arrive.
 */
const config = (folder: string, sipPort: number, rtpPort: number, consolePort: number): string => `
sip_listen ${ADDRESS}:${sipPort}
rtp_ports ${rtpPort}-${rtpPort + 20}
jitter_buffer_delay 0-0
call_max_calls 1
rtp_stats yes
module_path /usr/lib/baresip/modules
module g711.so
module g722.so
module opus.so
opus_stereo no
opus_sprop_stereo no
module srtp.so
module aufile.so
audio_source aufile,${folder}/said.wav
module sndfile.so
snd_path ${folder}
module cons.so
cons_listen ${ADDRESS}:${consolePort}
module_tmp account.so
module_app menu.so
`;

export interface BaresipOptions {
  /** For TLS, on the port above. */
  readonly certificate?: CertificateFiles;
  /** Answers with SRTP, or not at all. */
  readonly isSealed?: boolean;
}

export interface Baresip extends PeerProgram {
  readonly uri: string;
  /** What its decoder gave; ends it first, so that the recording is whole. */
  recording(): Promise<Sound>;
}

/** One that answers every call, over UDP, TCP and, with a certificate, TLS. It takes commands, each a line or a key. */
export const startBaresip = async (codec: Codec, { certificate, isSealed }: BaresipOptions = {}): Promise<Baresip> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-baresip-'));
  const [sipPort, rtpPort, consolePort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const uri = `sip:phone@${ADDRESS}:${sipPort}`;
  const pem = certificate ? `${certificate.certificate}${certificate.key}` : '';
  await writeFile(join(folder, 'tls.pem'), pem);
  const tls = certificate ? `sip_certificate ${folder}/tls.pem\n` : '';
  await writeFile(join(folder, 'config'), `${config(folder, sipPort, rtpPort, consolePort)}${tls}`);
  const { sampleRateHz: rateHz } = CODEC_FRAMES[codec];
  await writeFile(join(folder, 'said.wav'), writeWav(tone({ ...SAID, rateHz }), rateHz));
  const sealing = isSealed ? ';mediaenc=srtp-mand' : '';
  const account = `<${uri}>;regint=0;answermode=auto;audio_codecs=${CODECS[codec]}${sealing}\n`;
  await writeFile(join(folder, 'accounts'), account);
  const peer = startPeer('baresip', ['-4', '-n', ADDRESS, '-f', folder, '-v'], folder);
  const console = createSocket('udp4');
  onTestFinished(async () => {
    console.close();
    await peer.end('SIGKILL');
    await rm(folder, { recursive: true });
  });
  await peer.until('baresip is ready');
  const recording = async () => {
    await peer.end('SIGTERM');
    const [name] = (await readdir(folder)).filter((file) => file.endsWith('-dec.wav'));
    if (name === undefined) throw new Error(`baresip recorded nothing:\n${peer.output()}`);
    return readWav(await readFile(join(folder, name)));
  };
  const type = (line: string): void => console.send(line, consolePort, ADDRESS);
  return { ...peer, type, uri, recording };
};
