import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { CallFigures } from './caller-order.ts';

const ADDRESS = '127.0.0.1';
const INSTALL = 'sipp is not installed: apt-get install sip-tester';

const findFreePort = async (): Promise<number> => {
  const socket = createSocket('udp4').bind(0, ADDRESS);
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
};

/**
 * By itself sipp loses what does not fit into small buffers, and gives up a call in which an INVITE that was sent again
 * comes late, which leaves the BYE unanswered for 32 s.
 */
const PATIENCE = '-buff_size 4000000 -default_behaviors all,-abortunexp';

const socketsOf = (port: number): readonly string[] =>
  `-i ${ADDRESS} -p ${port} -mi ${ADDRESS} ${PATIENCE} -nostdin`.split(' ');

/** sipp does not say when it listens; the kernel's table of sockets does. */
const untilBound = async (port: number, sipp: ChildProcess): Promise<void> => {
  const entry = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  while (!(await readFile('/proc/net/udp', 'latin1')).includes(entry)) {
    if (sipp.exitCode !== null) throw new Error('sipp ended before it listened.');
    await setTimeout(10);
  }
};

const started = async (child: ChildProcess): Promise<void> => {
  await once(child, 'spawn').catch((error: Error) => {
    throw new Error(INSTALL, { cause: error });
  });
};

export interface Phone {
  readonly port: number;
  /** Ends it, and waits until it is gone. */
  end(): Promise<void>;
}

/** sipp's own scenario of a called party: INVITE, 180, 200 with SDP, ACK, BYE, 200. */
export const startPhone = async (): Promise<Phone> => {
  const port = await findFreePort();
  const sipp = spawn('sipp', ['-sn', 'uas', ...socketsOf(port)], { stdio: 'ignore' });
  await started(sipp);
  await untilBound(port, sipp);
  return {
    port,
    end: async () => {
      const exited = once(sipp, 'exit');
      sipp.kill('SIGKILL');
      await exited;
    },
  };
};

/** The second line of `times`: user and system time of the children of the shell, as `0m1.230s 0m0.450s`. */
const readTimes = (output: string): number => {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  const parts = [...line.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds),
  );
  if (parts.length !== 2) throw new Error('The shell did not say what sipp used of the CPU.');
  return parts.reduce((sum, part) => sum + part, 0);
};

/** sipp's own scenario of a caller, whose calls never pause. */
export const callWithSipp = async (phonePort: number, calls: number, callsAtOnce: number): Promise<CallFigures> => {
  const load = [
    '-m',
    `${calls}`,
    '-l',
    `${callsAtOnce}`,
    '-r',
    '20000',
    '-d',
    '0',
    '-timeout',
    '60s',
    '-timeout_error',
  ];
  const sipp = ['sipp', '-sn', 'uac', `${ADDRESS}:${phonePort}`, ...socketsOf(await findFreePort()), ...load];
  const startedMs = performance.now();
  const shell = spawn('sh', ['-c', '"$@" >/dev/null 2>&1; status=$?; times; exit $status', 'sh', ...sipp], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  shell.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [status] = await once(shell, 'close');
  if (status !== 0) throw new Error(status === 127 ? INSTALL : `sipp as the caller failed (status ${status}).`);
  return { calls, seconds: (performance.now() - startedMs) / 1_000, cpuSeconds: readTimes(output) };
};
