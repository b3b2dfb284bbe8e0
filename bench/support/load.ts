// The load generator, a process of its own: `load.ts ORDER`, ORDER and the one line that it answers being JSON.
import { type HttpConnection, openHttpConnection } from './http-connection.ts';
import { figuresOf, type LoadFigures, type LoadOrder } from './load-order.ts';

const requestOf = ({ url, form }: LoadOrder): Buffer => {
  const { host, pathname } = new URL(url);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${Buffer.byteLength(form)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${form}`);
};

/** What came back: how long each answer took, in milliseconds, and how many had another status than 202. */
class Tally {
  readonly latenciesMs: number[] = [];
  refused = 0;

  add(status: number, latencyMs: number): void {
    if (status === 202) this.latenciesMs.push(latencyMs);
    else this.refused++;
  }
}

/** Each connection asks again as soon as it is answered. */
const runClosedLoop = async (connections: HttpConnection[], request: Buffer, endsAtMs: number, tally: Tally) => {
  const keepAsking = async (connection: HttpConnection): Promise<void> => {
    while (performance.now() < endsAtMs) {
      const startedAtMs = performance.now();
      tally.add(await connection.exchange(request), performance.now() - startedAtMs);
    }
  };
  await Promise.all(connections.map(keepAsking));
};

/**
 * Requests fall due at a steady rate, whatever the answers do; latency counts from when a request was due, so that
 * waiting for a free connection counts too.
 */
const runOpenLoop = async (
  connections: HttpConnection[],
  request: Buffer,
  { perSecond, seconds }: { perSecond: number; seconds: number },
  tally: Tally,
): Promise<void> => {
  const startedAtMs = performance.now();
  const total = perSecond * seconds;
  let next = 0;
  const dueMs = (index: number): number => startedAtMs + (index * 1000) / perSecond;
  const serve = async (connection: HttpConnection): Promise<void> => {
    while (next < total) {
      const index = next++;
      const waitMs = dueMs(index) - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.ceil(waitMs)));
      tally.add(await connection.exchange(request), performance.now() - dueMs(index));
    }
  };
  await Promise.all(connections.map(serve));
};

const run = async (order: LoadOrder): Promise<LoadFigures> => {
  const { hostname, port } = new URL(order.url);
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () => openHttpConnection(hostname, Number(port))),
  );
  const request = requestOf(order);
  const tally = new Tally();
  const startedAtMs = performance.now();
  if (order.perSecond === null) {
    await runClosedLoop(connections, request, startedAtMs + order.seconds * 1000, tally);
  } else {
    await runOpenLoop(connections, request, { perSecond: order.perSecond, seconds: order.seconds }, tally);
  }
  const seconds = (performance.now() - startedAtMs) / 1000;
  for (const connection of connections) connection.close();
  return figuresOf(tally.latenciesMs, tally.refused, seconds);
};

const order: LoadOrder = JSON.parse(process.argv[2] ?? '');
process.stdout.write(`${JSON.stringify(await run(order))}\n`);
