import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { type Check, ok, problem } from './check.ts';

const HEALTH_TIMEOUT_MS = 3000;

interface Listen {
  readonly address: string;
  readonly port: number;
}

/** Reads `ADDRESS:PORT` or `[ADDRESS]:PORT`; null if it is neither. */
const parseListen = (text: string): Listen | null => {
  const [, address, port] = /^(.+):([0-9]{1,5})$/.exec(text) ?? [];
  if (address === undefined || port === undefined || Number(port) > 65_535) return null;
  return { address: address.replace(/^\[|\]$/g, ''), port: Number(port) };
};

/** Where TLS listens beside `ADDRESS:PORT`: on the next port, with port 0 on any. What is neither stays as it is. */
export const besidePort = (text: string): string =>
  text.replace(/:([0-9]{1,5})$/, (_, port: string) => `:${port === '0' ? 0 : Math.min(Number(port) + 1, 65_535)}`);

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : error.message);

/** Listens and closes again; null if that worked, else the error's code. */
const tryTcp = (listen: Listen): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(codeOf(error)));
    server.listen({ host: listen.address, port: listen.port }, () => server.close(() => resolve(null)));
  });

const tryUdp = (listen: Listen): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = createSocket(listen.address.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', (error) => {
      socket.close();
      resolve(codeOf(error));
    });
    socket.bind(listen.port, listen.address, () => socket.close(() => resolve(null)));
  });

const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

const isRingcast = async ({ address, port }: Listen): Promise<boolean> => {
  const host = LOOPBACK[address] ?? (address.includes(':') ? `[${address}]` : address);
  try {
    const answer = await fetch(`http://${host}:${port}/health/live`, {
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    // Whatever holds the port, it is no Ringcast that answers.
    return false;
  }
};

export interface PortOrder {
  readonly name: string;
  readonly variable: string;
  readonly value: string;
  readonly protocol: 'tcp' | 'udp';
}

const judge = (order: PortOrder, code: string | null, runs: boolean): Check => {
  const what = `${order.value} (${order.protocol})`;
  if (code === null) return ok(order.name, `${what} is free`);
  if (code !== 'EADDRINUSE') return problem(order.name, `${what} cannot be used (${code})`, `set ${order.variable}`);
  if (runs) return ok(order.name, `${what} is held by the Ringcast that runs here`);
  return problem(order.name, `${what} is held by another program`, `end that program, or set ${order.variable}`);
};

const checkPort = async (order: PortOrder, runs: boolean): Promise<Check> => {
  const listen = parseListen(order.value);
  if (listen === null) return problem(order.name, `${order.value} is no ADDRESS:PORT`, `set ${order.variable}`);
  return judge(order, await (order.protocol === 'tcp' ? tryTcp : tryUdp)(listen), runs);
};

/** Whether each port is free, or held by a Ringcast whose public listener (the first order) answers its health. */
export const checkPorts = async (orders: readonly [PortOrder, ...PortOrder[]]): Promise<Check[]> => {
  const listen = parseListen(orders[0].value);
  const runs = listen !== null && (await isRingcast(listen));
  return Promise.all(orders.map((order) => checkPort(order, runs)));
};
