import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ADDRESS } from '../support/media.ts';
import { findFreePort, type PeerProgram, startPeer, untilBound } from './peer-program.ts';

export interface Sipp extends PeerProgram {
  readonly uri: string;
  /** How many messages whose first line begins so came in. */
  received(firstLine: string): Promise<number>;
}

/**
 * For scenarios with more than one transaction. Over UDP a busy machine has our INVITE sent again (timer A), which breaks
 * such a scenario: sipp, stopped for 1.7 s at its start, dropped the call as out of order or saw two ACKs too many.
 */
export const OVER_TCP = ['-t', 't1'] as const;

/** Runs one call of a scenario beside this file; `keys` are what its session descriptions leave open. */
export const startSipp = async (
  scenario: string,
  keys: Record<string, number | string> = {},
  options: readonly string[] = [],
): Promise<Sipp> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-sipp-'));
  const [port, mediaPort, controlPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const file = join(import.meta.dirname, 'sipp', `${scenario}.xml`);
  const sockets = ['-i', ADDRESS, '-p', port, '-mi', ADDRESS, '-mp', mediaPort, '-ci', ADDRESS, '-cp', controlPort];
  const limits = ['-m', 1, '-nostdin', '-timeout', '25s', '-timeout_error'];
  const logs = ['-trace_msg', '-message_file', 'messages', '-trace_err', '-error_file', 'errors'];
  const session = Object.entries({ payload_type: 0, encoding: 'PCMU/8000', ...keys }).flatMap(([key, value]) => [
    '-key',
    key,
    value,
  ]);
  const peer = startPeer(
    'sipp',
    ['-sf', file, ...sockets, ...limits, ...logs, ...session, ...options].map(String),
    folder,
  );
  onTestFinished(async () => {
    await peer.end('SIGKILL');
    await rm(folder, { recursive: true });
  });
  const isTcp = options === OVER_TCP;
  await untilBound(peer, isTcp ? 'tcp' : 'udp', port);
  const received = async (firstLine: string) => {
    const log = await readFile(join(folder, 'messages'), 'latin1');
    return log.split(/(?:UDP|TCP) message received \[\d+\] bytes *:\s*/).filter((text) => text.startsWith(firstLine))
      .length;
  };
  return { ...peer, uri: `sip:phone@${ADDRESS}:${port}${isTcp ? ';transport=tcp' : ''}`, received };
};
