import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A SIP peer that is up and takes no calls: it answers OPTIONS and lets everything else ring out unanswered. */
export interface SilentPeer {
  readonly uri: string;
  close(): void;
}

const COPIED_HEADERS = /^(via|from|to|call-id|cseq):/i;

const answerTo = (request: string): string => {
  const headers = request.split('\r\n').filter((line) => COPIED_HEADERS.test(line));
  return ['SIP/2.0 200 OK', ...headers, 'Content-Length: 0', '', ''].join('\r\n');
};

export const openSilentPeer = async (): Promise<SilentPeer> => {
  const socket = createSocket('udp4');
  socket.on('message', (octets, from) => {
    const request = octets.toString('latin1');
    if (request.startsWith('OPTIONS ')) socket.send(answerTo(request), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { uri: `sip:nobody@127.0.0.1:${socket.address().port}`, close: () => socket.close() };
};
