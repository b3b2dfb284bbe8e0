import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A SIP peer that is busy: it refuses every call at once, as cheaply as it can be done. */
export interface BusyPeer {
  readonly port: number;
  /** Resolves when so many calls were refused. */
  refused(calls: number): Promise<void>;
  close(): void;
}

const COPIED_HEADERS = /^(via|from|to|call-id|cseq):/i;

const answerTo = (request: string, status: string): string => {
  const headers = request
    .split('\r\n')
    .filter((line) => COPIED_HEADERS.test(line))
    .map((line) => (/^to:/i.test(line) && !/;tag=/i.test(line) ? `${line};tag=busy` : line));
  return [`SIP/2.0 ${status}`, ...headers, 'Content-Length: 0', '', ''].join('\r\n');
};

export const openBusyPeer = async (): Promise<BusyPeer> => {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
  let refused = 0;
  let onRefused = (): void => {};
  socket.on('message', (octets, from) => {
    const message = octets.toString('latin1');
    const answer = (status: string) => socket.send(answerTo(message, status), from.port, from.address);
    if (message.startsWith('OPTIONS ')) answer('200 OK');
    else if (message.startsWith('INVITE ')) answer('486 Busy Here');
    else if (message.startsWith('ACK ')) {
      refused += 1;
      onRefused();
    }
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    refused: (calls) =>
      new Promise((resolve) => {
        onRefused = () => refused >= calls && resolve();
        onRefused();
      }),
    close: () => socket.close(),
  };
};
