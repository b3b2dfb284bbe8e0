import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { firstAudioMs, MEASURED_CALL_ID } from '../../bench/first-audio/figures.ts';
import { runChild } from '../../bench/support/child.ts';
import { figuresOf, type LoadFigures, type LoadOrder } from '../../bench/support/load-order.ts';
import { formatTable } from '../../bench/table.ts';

/** A server that answers its first requests as told and every later one with 202. */
const startServer = async (...statuses: number[]): Promise<{ url: string; bodies: string[] }> => {
  const bodies: string[] = [];
  const server: Server = createServer(async (request, response) => {
    bodies.push(`${request.method} ${request.url} ${(await request.toArray()).join('')}`);
    const answer = '{"some":"body"}';
    response.writeHead(statuses.shift() ?? 202, { 'content-length': answer.length });
    response.write(answer.slice(0, 5));
    response.end(answer.slice(5));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/path`, bodies };
};

const load = (order: LoadOrder): Promise<LoadFigures> =>
  runChild(join(import.meta.dirname, '..', '..', 'bench', 'support', 'load.ts'), [
    JSON.stringify(order),
  ]) as Promise<LoadFigures>;

describe('the load generator', () => {
  it('sends the form at a steady rate, as often as it says, and counts what was refused', async () => {
    const { url, bodies } = await startServer(404, 502);
    const figures = await load({ url, form: 'a=1&b=2', connections: 4, seconds: 1, perSecond: 50 });
    expect(figures).toMatchObject({ accepted: 48, refused: 2 });
    expect(bodies).toEqual(Array.from({ length: 50 }, () => 'POST /some/path a=1&b=2'));
  });

  it('counts each answer once when it asks as fast as it is answered', async () => {
    const { url, bodies } = await startServer();
    const { accepted, refused } = await load({ url, form: 'a=1', connections: 4, seconds: 0.2, perSecond: null });
    expect(accepted).toBeGreaterThan(4);
    expect({ accepted, refused }).toEqual({ accepted: bodies.length, refused: 0 });
  });
});

describe('figures', () => {
  it('are those of the sorted latencies', () => {
    const latenciesMs = Array.from({ length: 1000 }, (_, index) => 1000 - index);
    const expected = { accepted: 1000, refused: 3, perSecond: 500, p50Ms: 501, p99Ms: 991, maxMs: 1000 };
    expect(figuresOf(latenciesMs, 3, 2)).toEqual(expected);
  });

  it('are printed in columns, numbers to the right', () => {
    const rows = [
      { target: 'ringcast', 'p99 ms': 4.2 },
      { target: 'bare', 'p99 ms': 112.5 },
    ];
    expect(formatTable(rows)).toBe('target    p99 ms\nringcast     4.2\nbare       112.5');
  });
});

it('finds first audio in a capture: from the first ACK of a measured call to the first packet from its port', () => {
  const sip = (atMs: number, method: string, callId: string, body = '') => ({
    ...{ atMs, fromPort: 5060 },
    octets: Buffer.from(`${method} sip:a SIP/2.0\r\nCall-ID: ${callId}\r\n\r\n${body}`),
  });
  const rtp = (atMs: number, fromPort: number) => ({ atMs, fromPort, octets: Buffer.from([0x80, 0x80]) });
  const [first, second] = [`${MEASURED_CALL_ID}1`, `${MEASURED_CALL_ID}2`];
  const packets = [
    ...[sip(1, 'INVITE', first, 'm=audio 4000 RTP/AVP 0'), sip(2, 'INVITE', 'other', 'm=audio 4004 RTP/AVP 0')],
    ...[sip(3, 'INVITE', first, 'm=audio 4000 RTP/AVP 0'), sip(10, 'ACK', first), sip(11, 'ACK', 'other')],
    ...[rtp(12, 4004), rtp(15, 4000), sip(16, 'ACK', first), rtp(35, 4000)],
    sip(40, 'INVITE', second, 'm=audio 4002 RTP/AVP 0'),
  ];
  expect(firstAudioMs(packets)).toEqual([5, null]);
});
