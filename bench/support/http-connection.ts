import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEADERS_END = '\r\n\r\n';

/**
 * One kept-alive connection that sends the same octets over and over, one request at a time. Node's own client costs
 * more than the servers that are measured; this one reads a status line and a Content-Length and no more.
 */
export interface HttpConnection {
  /** Resolves with the status of the answer, when its last octet is there. */
  exchange(request: Buffer): Promise<number>;
  close(): void;
}

export const openHttpConnection = async (host: string, port: number): Promise<HttpConnection> => {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  return overSocket(socket);
};

const overSocket = (socket: Socket): HttpConnection => {
  let waiting: PromiseWithResolvers<number> | null = null;
  let received = '';
  const settle = (act: (waiter: PromiseWithResolvers<number>) => void): void => {
    const waiter = waiting;
    waiting = null;
    received = '';
    if (waiter) act(waiter);
  };
  const fail = (error: Error): void => settle((waiter) => waiter.reject(error));
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
    if (isWhole(received)) {
      const status = Number(received.slice(9, 12));
      settle((waiter) => waiter.resolve(status));
    }
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  return {
    exchange: (request) => {
      waiting = Promise.withResolvers();
      socket.write(request);
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
};

const isWhole = (received: string): boolean => {
  const headersEnd = received.indexOf(HEADERS_END);
  if (headersEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, headersEnd))?.[1];
  if (length === undefined) throw new Error('an answer without Content-Length');
  return received.length >= headersEnd + HEADERS_END.length + Number(length);
};
