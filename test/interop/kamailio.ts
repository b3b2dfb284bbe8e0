import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CertificateFiles } from '../support/certificates.ts';
import { ADDRESS } from '../support/media.ts';
import { findFreePort, type PeerProgram, startPeer, untilBound } from './peer-program.ts';

/** What it shows, and whom it trusts; who shows no certificate of theirs is turned away. */
export interface KamailioTls {
  readonly own: CertificateFiles;
  readonly authorityPath: string;
}

const listenTls = (port: number, { own, authorityPath }: KamailioTls): string => `
enable_tls=yes
tcp_children=1
listen=tls:${ADDRESS}:${port}
loadmodule "tls.so"
modparam("tls", "tls_method", "TLSv1.2+")
modparam("tls", "certificate", "${own.certificatePath}")
modparam("tls", "private_key", "${own.keyPath}")
modparam("tls", "ca_list", "${authorityPath}")
modparam("tls", "verify_certificate", 1)
modparam("tls", "require_certificate", 1)
`;

/** What every configuration begins with: one UDP socket on loopback, no DNS, the log on standard error. */
const HEAD = (port: number, streams: string): string => `#!KAMAILIO
debug=1
log_stderror=yes
listen=udp:${ADDRESS}:${port}
children=1
${streams}
auto_aliases=no
dns=no
rev_dns=no
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "xlog.so"
`;

export interface KamailioProgram extends PeerProgram {
  readonly port: number;
  /** Nobody listens there unless it was given a certificate. */
  readonly tlsPort: number;
}

/** Kamailio with further modules and routes, until the test is over. */
export const startKamailioWith = async (routes: string, tls?: KamailioTls): Promise<KamailioProgram> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-kamailio-'));
  const [port, tlsPort] = [await findFreePort(), await findFreePort()];
  const file = join(folder, 'kamailio.cfg');
  await writeFile(file, HEAD(port, tls ? listenTls(tlsPort, tls) : 'disable_tcp=yes') + routes);
  const peer = startPeer('kamailio', ['-f', file, '-DD', '-E', '-w', folder, '-Y', folder], folder);
  onTestFinished(async () => {
    // Its children end with it only if it is asked to end.
    await peer.end('SIGTERM');
    await rm(folder, { recursive: true });
  });
  if (tls) await untilBound(peer, 'tcp', tlsPort);
  return { ...peer, port, tlsPort };
};
