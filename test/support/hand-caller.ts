import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { Phone } from '../../src/phone/phone.ts';

interface RequestParts {
  readonly callId?: string;
  readonly branch?: string;
  readonly seq?: number;
  readonly toTag?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

export const statusOf = (text: string): number => Number(/^SIP\/2\.0 ([0-9]{3}) /.exec(text)?.[1] ?? 0);
export const tagOf = (text: string): string => /^To:.*;tag=([^;\s]+)/im.exec(text)?.[1] ?? '';
export const methodOf = (text: string): string => /^CSeq: *[0-9]+ *([A-Z]+)/im.exec(text)?.[1] ?? '';
export const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);
export const mediaPortOf = (text: string): number => Number(/^m=audio ([0-9]+) /m.exec(text)?.[1]);

/** A caller that speaks SIP by hand, and checks nothing: what it sends may be wrong on purpose. */
export const openHandCaller = async (phone: Phone) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  const { port } = socket.address();
  const received: string[] = [];
  let taken = 0;
  socket.on('message', (octets) => received.push(octets.toString()));

  const send = (text: string): void => socket.send(text, phone.port, phone.address);
  const request = (method: string, parts: RequestParts = {}): void => {
    const { callId = 'call-1@test', branch = `${method}-1`, seq = 1, toTag, headers = [], body = '' } = parts;
    const lines = [
      `${method} ${phone.uri} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK-${callId}-${branch};rport`,
      'Max-Forwards: 70',
      'From: <sip:caller@127.0.0.1>;tag=caller',
      `To: <${phone.uri}>${toTag === undefined ? '' : `;tag=${toTag}`}`,
      `Call-ID: ${callId}`,
      `CSeq: ${seq} ${method}`,
      `Contact: <sip:caller@127.0.0.1:${port}>`,
      ...headers,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
    ];
    send(`${lines.join('\r\n')}\r\n\r\n${body}`);
  };
  /** The next message not yet taken. */
  const next = async (): Promise<string> => {
    while (received.length <= taken) await once(socket, 'message');
    taken += 1;
    return received[taken - 1] as string;
  };
  /** The next message of that status, or request of that method; others are passed over. */
  const nextOf = async (what: number | string): Promise<string> => {
    for (;;) {
      const message = await next();
      if (typeof what === 'number' ? statusOf(message) === what : message.startsWith(`${what} `)) return message;
    }
  };
  /** Answers a request of the phone. */
  const answer = (text: string, status: number): void => {
    const kept = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/i.test(line));
    send(`SIP/2.0 ${status} Whatever\r\n${kept.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`);
  };
  return { port, send, request, next, nextOf, answer, received };
};

export type HandCaller = Awaited<ReturnType<typeof openHandCaller>>;

export const offer = (payloadTypes = '0 8', direction = 'sendrecv'): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio 40000 RTP/AVP ${payloadTypes}`,
    `a=${direction}`,
    '',
  ].join('\r\n');

/** Calls and acknowledges; gives the tag and RTP port of the phone. */
export const callAndAcknowledge = async (caller: HandCaller, callId = 'call-1@test', sdp = offer()) => {
  caller.request('INVITE', { callId, body: sdp });
  const accepted = await caller.nextOf(200);
  const toTag = tagOf(accepted);
  caller.request('ACK', { callId, toTag, branch: 'ACK-1' });
  return { toTag, callId, mediaPort: mediaPortOf(accepted), accepted };
};
