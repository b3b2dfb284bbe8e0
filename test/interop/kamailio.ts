import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ADDRESS } from '../support/media.ts';
import { findFreePort, type PeerProgram, startPeer } from './peer-program.ts';

/** What every configuration begins with: one UDP socket on loopback, no DNS, the log on standard error. */
const HEAD = (port: number): string => `#!KAMAILIO
debug=1
log_stderror=yes
listen=udp:${ADDRESS}:${port}
children=1
disable_tcp=yes
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
}

/** Kamailio with further modules and routes, until the test is over. */
export const startKamailioWith = async (routes: string): Promise<KamailioProgram> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-kamailio-'));
  const port = await findFreePort();
  const file = join(folder, 'kamailio.cfg');
  await writeFile(file, HEAD(port) + routes);
  const peer = startPeer('kamailio', ['-f', file, '-DD', '-E', '-w', folder, '-Y', folder], folder);
  onTestFinished(async () => {
    // Its children end with it only if it is asked to end.
    await peer.end('SIGTERM');
    await rm(folder, { recursive: true });
  });
  return { ...peer, port };
};
