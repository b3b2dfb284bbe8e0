import { describe, expect, test } from 'vitest';
import { requestOf } from '../../test/support/sip-messages.ts';
import {
  failureOf,
  hopTo,
  openBench,
  openRawClient,
  openRawServer,
  sendText,
} from '../../test/support/stream-bench.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { NotConnected, udpHop } from '../sip/hop.ts';
import { MAX_MESSAGE_BYTES } from '../sip/parse.ts';
import { serializeMessage } from '../sip/serialize.ts';
import { createConnectionTable } from './connection-table.ts';
import { CONNECT_WITHIN_MS, LOOK_EVERY_MS, LOOKS_UNTIL_IDLE, MAX_QUEUED_BYTES } from './stream-connection.ts';

const BYE = new TextDecoder().decode(serializeMessage(requestOf('BYE')));

describe('TCP', () => {
  test('listens on the port of UDP', async () => {
    const [a, b] = [await openBench(), await openBench()];
    sendText(a.transport, BYE, hopTo(b.transport, 'tcp'));
    sendText(a.transport, BYE, udpHop(b.transport));
    const transports = [(await b.heard.at(0)).from.transport, (await b.heard.at(1)).from.transport];
    expect(transports.toSorted()).toEqual(['tcp', 'udp']);
    expect(b.transport.portOf('tcp')).toBe(b.transport.port);
  });

  test('one connection serves every message to a hop, and the answers to them', async () => {
    const [a, b] = [await openBench(), await openBench()];
    for (let i = 0; i < 3; i++) sendText(a.transport, BYE, hopTo(b.transport, 'tcp'));
    const { from } = await b.heard.at(2);
    expect(new Set(b.heard.items.map((each) => each.from.connection)).size).toBe(1);
    sendText(b.transport, BYE, from);
    expect((await a.heard.at(0)).from).toMatchObject(hopTo(b.transport, 'tcp'));
  });

  test('what came in is used for answers alone: a request to that place has a connection of its own', async () => {
    const [a, b] = [await openBench(), await openBench()];
    sendText(a.transport, BYE, hopTo(b.transport, 'tcp'));
    const { from } = await b.heard.at(0);
    const { connection: _, ...hop } = from;
    expect(await failureOf(b.transport, BYE, hop)).toBeInstanceOf(NotConnected);
  });

  test('a port where nobody listens, port 0 and an end that has gone: nothing was sent', async () => {
    const [a, b] = [await openBench(), await openBench()];
    const hop = hopTo(b.transport, 'tcp');
    await b.transport.close();
    for (const to of [
      hop,
      { ...hop, port: 0 },
      { ...hop, port: 65_536 },
      { ...hop, address: 'localhost' },
      { ...hop, connection: 99 },
    ]) {
      expect(await failureOf(a.transport, BYE, to)).toBeInstanceOf(NotConnected);
    }
    expect(a.lost.items).toEqual([]);
  });

  test('a lost connection is told, and the next message has a new one', async () => {
    const a = await openBench();
    const server = await openRawServer();
    sendText(a.transport, BYE, server.hop);
    (await server.sockets.at(0)).destroy();
    expect(await a.lost.at(0)).toMatchObject(server.hop);
    sendText(a.transport, BYE, server.hop);
    expect((await server.sockets.at(1)).destroyed).toBe(false);
  });

  test('a closed transport sends nothing', async () => {
    const { transport } = await openBench();
    const { hop } = await openRawServer();
    await transport.close();
    expect(await failureOf(transport, BYE, hop)).toBeInstanceOf(NotConnected);
  });
});

describe('a stream that comes in', () => {
  test('is answered a single CRLF to a double one', async () => {
    const client = await openRawClient((await openBench()).transport);
    client.socket.write('\r\n\r\n');
    expect(await client.octets.at(0)).toBe('\r\n');
  });

  test('without Content-Length is handed on as such, may be answered, and is closed', async () => {
    const { transport } = await openBench();
    transport.onMessage((octets, from, isUnframed) => {
      if (isUnframed) transport.send(octets, from);
    });
    const client = await openRawClient(transport);
    client.socket.write('BYE sip:a SIP/2.0\r\n\r\nrest');
    await client.closed;
    expect(client.octets.items).toEqual(['BYE sip:a SIP/2.0\r\n\r\n']);
  });

  test('too long a message is cut off', async () => {
    const { transport, heard } = await openBench();
    const client = await openRawClient(transport);
    client.socket.write(`BYE sip:a SIP/2.0\r\nl: ${MAX_MESSAGE_BYTES}\r\n\r\n`);
    await client.closed;
    expect(heard.items).toEqual([]);
  });
});

describe('time', () => {
  test('a handshake that is never answered is given up', async () => {
    const clock = createVirtualClock();
    const { transport } = await openBench({ wakeAfter: clock.wakeAfter });
    const { hop, sockets } = await openRawServer();
    const failure = failureOf(transport, BYE, { ...hop, transport: 'tls', tlsName: 'a.test' });
    await sockets.at(0);
    await clock.advance(CONNECT_WITHIN_MS);
    expect((await failure).message).toMatch(/No TLS connection to 127\.0\.0\.1:\d+: no connection within 5 s/);
    expect(clock.waiting).toBe(0);
  });

  test('an idle connection is pinged, and closed in the end', async () => {
    const clock = createVirtualClock();
    const { transport, lost } = await openBench({ wakeAfter: clock.wakeAfter });
    const { hop, octets } = await openRawServer();
    sendText(transport, BYE, hop);
    expect(await octets.at(0)).toBe(BYE);
    await clock.advance(LOOK_EVERY_MS);
    expect(await octets.at(1)).toBe('\r\n\r\n');
    await clock.advance(LOOKS_UNTIL_IDLE * LOOK_EVERY_MS);
    expect(await lost.at(0)).toMatchObject(hop);
    expect(clock.waiting).toBe(0);
  });

  test('a peer that answered pings and falls silent is lost', async () => {
    const clock = createVirtualClock();
    const { transport, lost } = await openBench({ wakeAfter: clock.wakeAfter });
    const { hop, octets, sockets } = await openRawServer();
    sendText(transport, BYE, hop);
    await octets.at(0);
    await clock.advance(LOOK_EVERY_MS);
    await octets.at(1);
    // A ping of its own in place of an answer to ours: the answer to it tells that it was read.
    (await sockets.at(0)).write('\r\n\r\n');
    expect(await octets.at(2)).toBe('\r\n');
    await clock.advance(LOOK_EVERY_MS);
    expect(lost.items).toEqual([]);
    await clock.advance(LOOK_EVERY_MS);
    expect(await lost.at(0)).toMatchObject(hop);
  });

  test('a message that is not finished in time ends its connection', async () => {
    const clock = createVirtualClock();
    const { transport, heard } = await openBench({ wakeAfter: clock.wakeAfter });
    const client = await openRawClient(transport);
    client.socket.write(`${BYE}BYE sip:a`);
    await heard.at(0);
    await clock.advance(2 * LOOK_EVERY_MS);
    await client.closed;
  });
});

describe('bounds', () => {
  test('a peer that reads nothing is not waited for', async () => {
    const { transport } = await openBench();
    const { hop, sockets } = await openRawServer();
    const message = `${'x'.repeat(60_000)}`;
    sendText(transport, BYE, hop);
    (await sockets.at(0)).pause();
    const first = new Promise<Error>((resolve) => {
      for (let sent = 0; sent < 4 * MAX_QUEUED_BYTES; sent += message.length) {
        transport.send(new TextEncoder().encode(message), hop, resolve);
      }
    });
    expect((await first).message).toContain('too much waits');
  });

  test('the connection that has been silent the longest makes room', async () => {
    const closed: number[] = [];
    const table = createConnectionTable(2);
    const connection = (number: number) => ({
      source: { connection: number },
      close: (): void => void closed.push(number),
    });
    const [one, two, three] = [connection(1), connection(2), connection(3)];
    table.add(one);
    table.add(two);
    table.touch(one);
    table.add(three);
    expect(closed).toEqual([2]);
    table.remove(two);
    expect([table.find(1), table.find(2), table.find(null), table.all()]).toEqual([
      one,
      undefined,
      undefined,
      [one, three],
    ]);
  });
});
