import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { accessSync, constants, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { describeNeeding } from '../support/describe-needing.ts';
import { ADDRESS, closeSocket } from '../support/media.ts';

/** With the folder that Debian puts servers in, which is not on everybody's path. */
const SEARCH_PATH = `${process.env.PATH ?? ''}${delimiter}/usr/sbin`;

/** A program by its name, or any file by its path, in which `*` stands for what differs between machines. */
const isInstalled = (program: string): boolean =>
  program.startsWith('/') ? globSync(program).length > 0 : isOnPath(program);

const isOnPath = (program: string): boolean =>
  SEARCH_PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false; // not in this folder
    }
  });

/**
 * A suite that needs a program of another project. Without it the suite is skipped with a line that says how to get
 * it; in CI that is a failure.
 */
export const describeWithPeer = (program: string, debianPackage: string, suite: () => void): void => {
  const lack = isInstalled(program) ? null : `${program} is not installed: apt-get install ${debianPackage}`;
  describeNeeding(program, lack, suite);
};

/** Below the ports that the kernel gives to whoever asks for any, so that nobody else's socket comes in between. */
const FIRST_PORT = 10_000;
const PORTS = 6_000;

const isFreeForUdp = async (port: number): Promise<boolean> => {
  const socket = createSocket('udp4');
  try {
    socket.bind(port, ADDRESS);
    await once(socket, 'listening');
    return true;
  } catch {
    return false; // somebody has it
  } finally {
    await closeSocket(socket);
  }
};

const isFreeForTcp = async (port: number): Promise<boolean> => {
  const server = createServer();
  try {
    server.listen(port, ADDRESS);
    await once(server, 'listening');
    return true;
  } catch {
    return false; // somebody has it
  } finally {
    server.close();
  }
};

/** Ports that peers were told; some may not have bound theirs yet. */
const given = new Set<number>();

/** A port that is free now for UDP and TCP; peers want to be told one. */
export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (given.has(port)) continue;
    given.add(port);
    if ((await isFreeForUdp(port)) && (await isFreeForTcp(port))) return port;
  }
};

export interface PeerProgram {
  /** Resolves when the output so far holds `text`; rejects with the output if the program ends before. */
  until(text: string): Promise<void>;
  /** Resolves with the exit status, null if a signal ended it. */
  readonly exited: Promise<number | null>;
  output(): string;
  /** Types a line on its standard input. */
  type(line: string): void;
  /** Ends it and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a peer in a folder of its own, which is its home too. */
export const startPeer = (file: string, args: readonly string[], folder: string): PeerProgram => {
  const child: ChildProcess = spawn(file, args, {
    cwd: folder,
    env: { ...process.env, PATH: SEARCH_PATH, HOME: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit').then(([status]) => status as number | null);
  let output = '';
  let onOutput = (): void => undefined;
  const keep = (chunk: Buffer): void => {
    output += chunk.toString('latin1');
    onOutput();
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);

  const until = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      onOutput = () => output.includes(text) && resolve();
      onOutput();
      void exited.then(() => reject(new Error(`${file} ended without "${text}":\n${output}`)));
    });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  // A program that has ended reads no more; `exited` tells that.
  child.stdin?.on('error', () => undefined);
  const type = (line: string): void => void child.stdin?.write(`${line}\n`);
  return { until, exited, output: () => output, type, end };
};

/** For peers that do not say when they listen on loopback: the kernel's table of sockets does. */
export const untilBound = async (peer: PeerProgram, protocol: 'udp' | 'tcp', port: number): Promise<void> => {
  // With no other end: a connection that has ended may name the port as well.
  const entry = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 `;
  let hasEnded = false;
  void peer.exited.then(() => {
    hasEnded = true;
  });
  while (!(await readFile(`/proc/net/${protocol}`, 'latin1')).includes(entry)) {
    if (hasEnded) throw new Error(`It ended at its start:\n${peer.output()}`);
  }
};
