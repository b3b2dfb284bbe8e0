import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Codec } from '../../src/domain/codec.ts';
import { readWav } from '../../src/rtp/wav.ts';
import type { CertificateFiles } from '../support/certificates.ts';
import { ADDRESS } from '../support/media.ts';
import { findFreePort, type PeerProgram, startPeer } from './peer-program.ts';

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

export interface Baresip extends PeerProgram {
  readonly uri: string;
  /** What it heard; ends it first, so that the recording is whole. */
  recording(): Promise<Int16Array>;
}

/** One that answers every call, over UDP, TCP and, with a certificate, TLS on the next port. */
export const startBaresip = async (codec: Codec, certificate?: CertificateFiles): Promise<Baresip> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-baresip-'));
  const [sipPort, rtpPort] = [await findFreePort(), await findFreePort()];
  const uri = `sip:phone@${ADDRESS}:${sipPort}`;
  const pem = certificate ? `${certificate.certificate}${certificate.key}` : '';
  await writeFile(join(folder, 'tls.pem'), pem);
  const tls = certificate ? `sip_certificate ${folder}/tls.pem\n` : '';
  await writeFile(join(folder, 'config'), `${config(folder, sipPort, rtpPort)}${tls}`);
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
