import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

/** A SIP peer that answers every call at once and hangs up with the ACK, as cheaply as it can be done. */
export interface AnsweringPeer {
  readonly port: number;
  /** When the first INVITE to `user` came, by the monotonic clock; resolves when it has come. */
  invited(user: string): Promise<number>;
  /** When the INVITEs came. */
  readonly invitedAtMs: number[];
  /** Resolves when so many calls are over. */
  ended(calls: number): Promise<void>;
  close(): void;
}

const SDP = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n';

const headerOf = (message: string, name: string): string =>
  new RegExp(`^${name}:\\s*(.*)$`, 'im').exec(message)?.[1]?.trim() ?? '';
const copied = (request: string, names: readonly string[]): readonly string[] =>
  request.split('\r\n').filter((line) => names.some((name) => line.toLowerCase().startsWith(`${name}:`)));
const ANSWERED = ['via', 'from', 'call-id', 'cseq'];

export const openAnsweringPeer = async (): Promise<AnsweringPeer> => {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
  const invitedAtMs: number[] = [];
  const byUser = new Map<string, number>();
  const awaited = new Map<string, (atMs: number) => void>();
  const invites = new Map<string, string>();
  let ended = 0;
  let onEnded = (): void => {};
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  const send = (lines: readonly string[], body: string, to: RemoteInfo): void => {
    const type = body === '' ? [] : ['Content-Type: application/sdp'];
    socket.send([...lines, ...type, `Content-Length: ${body.length}`, '', body].join('\r\n'), to.port, to.address);
  };
  const answer = (request: string, body: string, from: RemoteInfo): void => {
    const to = headerOf(request, 'To');
    const tagged = /;tag=/i.test(to) ? to : `${to};tag=p`;
    const contact = `Contact: <sip:127.0.0.1:${port}>`;
    send(['SIP/2.0 200 OK', ...copied(request, ANSWERED), `To: ${tagged}`, contact], body, from);
  };
  const note = (request: string): void => {
    const atMs = performance.now();
    const [, user = ''] = /^INVITE sip:([^@]*)@/.exec(request) ?? [];
    invitedAtMs.push(atMs);
    byUser.set(user, atMs);
    awaited.get(user)?.(atMs);
  };
  const hangUp = (callId: string, from: RemoteInfo): void => {
    const invite = invites.get(callId);
    if (invite === undefined) return;
    invites.delete(callId);
    const [, target = ''] = /<([^>]*)>/.exec(headerOf(invite, 'Contact')) ?? [];
    const via = `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${callId}`;
    const parties = [`From: ${headerOf(invite, 'To')};tag=p`, `To: ${headerOf(invite, 'From')}`];
    send([`BYE ${target} SIP/2.0`, via, ...parties, `Call-ID: ${callId}`, 'CSeq: 1 BYE', 'Max-Forwards: 70'], '', from);
  };
  socket.on('message', (octets, from) => {
    const message = octets.toString('latin1');
    const callId = headerOf(message, 'Call-ID');
    if (message.startsWith('OPTIONS ')) answer(message, '', from);
    else if (message.startsWith('ACK ')) hangUp(callId, from);
    else if (message.startsWith('SIP/2.0 200')) {
      ended += 1;
      onEnded();
    } else if (message.startsWith('INVITE ')) {
      if (!invites.has(callId)) note(message);
      invites.set(callId, message);
      answer(message, SDP, from);
    }
  });
  return {
    port,
    invitedAtMs,
    invited: (user) =>
      new Promise((resolve) => {
        const atMs = byUser.get(user);
        if (atMs === undefined) awaited.set(user, resolve);
        else resolve(atMs);
      }),
    ended: (calls) =>
      new Promise((resolve) => {
        onEnded = () => ended >= calls && resolve();
        onEnded();
      }),
    close: () => socket.close(),
  };
};
