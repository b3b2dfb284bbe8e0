import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { ADDRESS, closeSocket } from './media.ts';

/** What a zone holds, by type; names as they are asked, without the last dot. */
export type DnsRecord =
  | { readonly type: 'A' | 'AAAA'; readonly ttl: number; readonly octets: readonly number[] }
  | {
      readonly type: 'SRV';
      readonly ttl: number;
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly target: string;
    }
  | {
      readonly type: 'NAPTR';
      readonly ttl: number;
      readonly order: number;
      readonly preference: number;
      readonly flags: string;
      readonly service: string;
      readonly replacement: string;
    };

export interface DnsServer {
  /** `ADDRESS:PORT`, as a resolver takes it. */
  readonly server: string;
  /** Every question, as `TYPE name`. */
  readonly asked: string[];
  readonly zone: Record<string, readonly DnsRecord[]>;
  /** From now on no question is answered. */
  fallSilent(): void;
}

const TYPES: Readonly<Record<DnsRecord['type'], number>> = { A: 1, AAAA: 28, SRV: 33, NAPTR: 35 };
const NXDOMAIN = 3;

const word = (...numbers: readonly number[]): Buffer =>
  Buffer.concat(numbers.map((number) => Buffer.from([number >> 8, number & 255])));
const text = (value: string): Buffer => Buffer.from([value.length, ...Buffer.from(value)]);
const nameOf = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split('.')
      .filter((label) => label !== '')
      .map(text),
    Buffer.from([0]),
  ]);

const dataOf = (record: DnsRecord): Buffer => {
  if (record.type === 'SRV') {
    return Buffer.concat([word(record.priority, record.weight, record.port), nameOf(record.target)]);
  }
  if (record.type === 'NAPTR') {
    const strings = [record.flags, record.service, ''].map(text);
    return Buffer.concat([word(record.order, record.preference), ...strings, nameOf(record.replacement)]);
  }
  return Buffer.from(record.octets);
};

const answerOf = (record: DnsRecord): Buffer => {
  const data = dataOf(record);
  // The name is that of the question, at octet 12.
  return Buffer.concat([word(0xc00c, TYPES[record.type], 1, 0, record.ttl, data.length), data]);
};

/** The first question of a query: its name, its type, and where it ends. */
const readQuestion = (query: Buffer): { readonly name: string; readonly type: number; readonly end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
};

/** A name server on loopback that knows `zone` and nothing else; closed when the test is over. */
export const startDnsServer = async (zone: DnsServer['zone']): Promise<DnsServer> => {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  let isSilent = false;
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    asked.push(`${Object.entries(TYPES).find(([, number]) => number === type)?.[0] ?? type} ${name}`);
    if (isSilent) return;
    const answers = (zone[name] ?? []).filter((record) => TYPES[record.type] === type);
    const code = zone[name] ? 0 : NXDOMAIN;
    const head = Buffer.concat([query.subarray(0, 2), word(0x8580 | code, 1, answers.length, 0, 0)]);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...answers.map(answerOf)]), from.port, from.address);
  });
  socket.bind(0, ADDRESS);
  await once(socket, 'listening');
  onTestFinished(() => closeSocket(socket));
  const fallSilent = (): void => {
    isSilent = true;
  };
  return { server: `${ADDRESS}:${socket.address().port}`, asked, zone, fallSilent };
};

export const a = (address: string, ttl = 60): DnsRecord => ({ type: 'A', ttl, octets: address.split('.').map(Number) });
export const srv = (target: string, port: number, priority = 1, weight = 1): DnsRecord => ({
  type: 'SRV',
  ttl: 60,
  priority,
  weight,
  port,
  target,
});
export const naptr = (service: string, replacement: string, order = 1): DnsRecord => ({
  type: 'NAPTR',
  ttl: 60,
  order,
  preference: 1,
  flags: 's',
  service,
  replacement,
});
