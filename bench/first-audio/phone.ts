// `phone.ts`: answers every call at once, and takes its voice on one port that nobody reads. Its one line is its ports.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { openSocket } from '../playout/libc.ts';
import type { PhonePorts } from './figures.ts';

const ADDRESS = '127.0.0.1';
/** What a response takes from its request (RFC 3261 8.2.6.2). */
const COPIED = /^(?:via|from|to|call-id|cseq):/i;

const voice = openSocket();
const sdp = `v=0\r\no=- 1 1 IN IP4 ${ADDRESS}\r\ns=-\r\nc=IN IP4 ${ADDRESS}\r\nt=0 0\r\nm=audio ${voice.port} RTP/AVP 0\r\n`;

const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
socket.bind(0, ADDRESS);
await once(socket, 'listening');
const ports: PhonePorts = { sip: socket.address().port, voice: voice.port };

const tagged = (line: string): string => (/^to:(?!.*;tag=)/i.test(line) ? `${line};tag=p` : line);

socket.on('message', (octets, from) => {
  const request = octets.toString('latin1');
  if (request.startsWith('ACK ') || request.startsWith('SIP/2.0 ')) return;
  const body = request.startsWith('INVITE ') ? sdp : '';
  const lines = request
    .split('\r\n')
    .filter((line) => COPIED.test(line))
    .map(tagged);
  const own = [`Contact: <sip:phone@${ADDRESS}:${ports.sip}>`, 'Content-Type: application/sdp'];
  const head = ['SIP/2.0 200 OK', ...lines, ...own, `Content-Length: ${body.length}`];
  socket.send([...head, '', body].join('\r\n'), from.port, from.address);
});

process.stdout.write(`${JSON.stringify(ports)}\n`);
