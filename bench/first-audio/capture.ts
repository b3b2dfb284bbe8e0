import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CapturedPacket, PhonePorts } from './figures.ts';

const run = promisify(execFile);
/** Octets alone: what tshark remembers of thousands of sessions at one port takes it minutes. */
const FIELDS =
  '--disable-protocol sip --disable-protocol rtp -T fields -e frame.time_epoch -e udp.srcport -e udp.payload';
const NEEDED =
  'dumpcap and tshark, and the right to capture on lo, are needed: apt-get install tshark, and run as root';

/** The whole signalling of a phone, and of its voice the packets that begin a talkspurt: the first of a call is one. */
const filterOf = ({ sip, voice }: PhonePorts): string =>
  `udp port ${sip} or (udp dst port ${voice} and udp[9] & 0x80 != 0)`;

/** Captures on loopback, with the kernel's time of each packet, until it is ended. */
export const startCapture = async (ports: PhonePorts) => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-first-audio-'));
  const file = join(folder, 'capture.pcapng');
  const options = ['-q', '-i', 'lo', '-B', '64', '-f', filterOf(ports), '-w', file];
  const dumpcap = spawn('dumpcap', options, { stdio: ['ignore', 'ignore', 'pipe'] });
  await untilItCaptures(dumpcap);
  return async (): Promise<readonly CapturedPacket[]> => {
    dumpcap.kill('SIGINT');
    await once(dumpcap, 'exit');
    const { stdout } = await run('tshark', ['-n', '-r', file, ...FIELDS.split(' ')], { maxBuffer: 2 ** 30 });
    await rm(folder, { recursive: true });
    return stdout.trimEnd().split('\n').map(readLine);
  };
};

/** It names its file when it has begun. */
const untilItCaptures = (dumpcap: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = '';
    dumpcap.stderr?.on('data', (octets: Buffer) => {
      said += octets.toString();
      if (said.includes('File: ')) resolve();
    });
    dumpcap.on('error', (cause) => reject(new Error(NEEDED, { cause })));
    dumpcap.on('exit', () => reject(new Error(`${NEEDED}. It said: ${said.trim()}`)));
  });

const readLine = (line: string): CapturedPacket => {
  const [epoch = '', fromPort = '', payload = ''] = line.split('\t');
  return { atMs: 1000 * Number(epoch), fromPort: Number(fromPort), octets: Buffer.from(payload, 'hex') };
};
