import { beforeEach, describe, expect, test } from 'vitest';
import { requestOf } from '../../test/support/sip-messages.ts';
import { createVirtualClock, type VirtualClock } from '../../test/support/virtual-clock.ts';
import { createHopMemory } from '../telephony/hop-memory.ts';
import { type ClientTransactions, createClientTransactions, TCP_REST_MS } from './client-transactions.ts';
import { type Hop, NotConnected, type Source, udpHop } from './hop.ts';
import { cancelOf } from './request.ts';
import { respond } from './response.ts';
import { createServerTransactions } from './server-transactions.ts';

const UDP = udpHop({ address: '192.0.2.2', port: 5060 });
const TCP: Hop = { ...UDP, transport: 'tcp' };
const TLS: Hop = { transport: 'tls', address: '192.0.2.2', port: 5061, tlsName: 'peer.test' };

let clock: VirtualClock;
let sent: { readonly line: string; readonly via: string; readonly to: Hop }[];
let heard: string[];
/** Why nothing can be sent over a transport. */
let problems: Partial<Record<Hop['transport'], Error>>;
let clients: ClientTransactions;

const send = (octets: Uint8Array, to: Hop, onError?: (error: Error) => void): void => {
  const [line = '', via = ''] = new TextDecoder().decode(octets).split('\r\n');
  sent.push({ line: line.split(' sip:')[0] ?? '', via: via.split(';')[0] ?? '', to });
  const problem = problems[to.transport];
  if (problem) clock.wakeAfter(0, () => onError?.(problem));
};
const user = {
  onResponse: ({ status }: { status: number }): void => void heard.push(`${status}`),
  onFailure: (failure: string): void => void heard.push(failure),
};
const portOf = (transport: Hop['transport']): number => (transport === 'tls' ? 5071 : 5070);

beforeEach(() => {
  clock = createVirtualClock();
  [sent, heard, problems] = [[], [], {}];
  clients = createClientTransactions({ send, wakeAfter: clock.wakeAfter, limit: 10, portOf });
});

const invite = requestOf('INVITE');
const long = requestOf('INVITE', { headers: [{ name: 'Subject', value: 'x'.repeat(1_400) }] });

describe('over TCP and TLS', () => {
  test.each(['INVITE', 'BYE'])('%s is sent once, and given up after 64*T1 all the same', async (method) => {
    clients.start(requestOf(method), TCP, user);
    await clock.runOut();
    expect([sent.length, heard, clock.nowMs]).toEqual([1, ['timeout'], 32_000]);
  });

  test('nothing is absorbed after the final answer: timers D and K are zero', async () => {
    clients.start(invite, TLS, user);
    clients.receive(respond(invite, 486, { toTag: 'b' }), TLS);
    clients.start(requestOf('BYE'), TLS, user);
    clients.receive(respond(requestOf('BYE'), 200, { toTag: 'b' }), TLS);
    await clock.advance(0);
    expect([sent.map(({ line }) => line), heard, clients.size]).toEqual([['INVITE', 'ACK', 'BYE'], ['486', '200'], 0]);
  });

  test('Via names the transport and our port for it', () => {
    for (const hop of [UDP, TCP, TLS]) {
      const stop = clients.start(invite, hop, user);
      stop();
    }
    expect(sent.map(({ via }) => via)).toEqual([
      'Via: SIP/2.0/UDP 192.0.2.1:5070',
      'Via: SIP/2.0/TCP 192.0.2.1:5070',
      'Via: SIP/2.0/TLS 192.0.2.1:5071',
    ]);
  });
});

describe('a request too long for a datagram', () => {
  test('goes over TCP, and its CANCEL with it', () => {
    clients.start(long, UDP, user);
    clients.start(cancelOf(long), UDP, user);
    expect(sent.map(({ line, via, to }) => [line, via, to])).toEqual([
      ['INVITE', 'Via: SIP/2.0/TCP 192.0.2.1:5070', TCP],
      ['CANCEL', 'Via: SIP/2.0/TCP 192.0.2.1:5070', TCP],
    ]);
    clients.receive(respond(long, 180, { toTag: 'b' }), TCP);
    expect(heard).toEqual(['180']);
  });

  test('goes over UDP if no TCP connection can be had, and is repeated there', async () => {
    problems = { tcp: new NotConnected('refused') };
    clients.start(long, UDP, user);
    await clock.advance(600);
    expect(sent.map(({ via }) => via.slice(13, 16))).toEqual(['TCP', 'UDP', 'UDP']);
    clients.receive(respond(long, 200, { toTag: 'b' }), UDP);
    expect(heard).toEqual(['200']);
  });

  test('goes to that peer over UDP at once from then on, for ten minutes', async () => {
    problems = { tcp: new NotConnected('refused') };
    const failedHops = createHopMemory(() => clock.nowMs, 10);
    clients = createClientTransactions({ send, wakeAfter: clock.wakeAfter, limit: 10, portOf, failedHops });
    const waysOfAnother = async (): Promise<string[]> => {
      sent = [];
      const stop = clients.start(long, UDP, user);
      await clock.advance(0);
      stop();
      return sent.map(({ via }) => via.slice(13, 16));
    };
    expect([await waysOfAnother(), await waysOfAnother()]).toEqual([['TCP', 'UDP'], ['UDP']]);
    await clock.advance(TCP_REST_MS);
    expect(await waysOfAnother()).toEqual(['TCP', 'UDP']);
  });

  test('that was given up while the connection was waited for does not go on to UDP', async () => {
    problems = { tcp: new NotConnected('refused') };
    clients.start(long, UDP, user);
    clients.hush(long);
    await clock.advance(600);
    expect([sent.length, heard, clients.size]).toEqual([1, ['transport-error'], 0]);
  });

  test('never goes over UDP if a TCP connection broke under it: the peer may have it', async () => {
    problems = { tcp: new Error('reset') };
    clients.start(long, UDP, user);
    await clock.advance(600);
    for (let nth = 1; nth <= 2; nth++) clients.lose(TCP);
    expect([sent.map(({ to }) => to), heard, clients.size]).toEqual([[TCP, TCP], ['transport-error'], 0]);
  });

  test('fails if UDP does not take it either', async () => {
    problems = { tcp: new NotConnected('refused'), udp: new NotConnected('no route') };
    clients.start(long, UDP, user);
    await clock.advance(600);
    expect([sent.length, heard, clients.size]).toEqual([2, ['transport-error'], 0]);
  });

  test('that is stopped after it went on to UDP is stopped there', async () => {
    problems = { tcp: new NotConnected('refused') };
    const stop = clients.start(long, UDP, user);
    await clock.advance(0);
    stop();
    await clock.runOut();
    expect([sent.length, heard, clients.size]).toEqual([2, [], 0]);
  });
});

describe('a response counts only from where the request went', () => {
  const ok = respond(invite, 200, { toTag: 'b' });

  test.each<[string, Hop, Hop, boolean]>([
    ['another address', UDP, { ...UDP, address: '192.0.2.3' }, false],
    ['another port over UDP', UDP, { ...UDP, port: 1024 }, true],
    ['another transport', UDP, TCP, false],
    ['another connection', TCP, { ...TCP, port: 1024 }, false],
    ['the connection', TCP, TCP, true],
  ])('from %s', (_name, to, from, counts) => {
    clients.start(invite, to, user);
    expect(clients.receive(ok, from)).toBe(counts);
    expect(heard).toEqual(counts ? ['200'] : []);
  });
});

describe('a lost connection', () => {
  test('has what heard nothing sent once more, then fails it; a ringing INVITE and other hops are left alone', () => {
    const ringing = requestOf('INVITE', { callId: 'ringing' });
    const named = (hop: Hop, name: string) => ({
      ...user,
      onFailure: (_failure: string, error?: Error) => heard.push(`${name} over ${hop.transport}: ${error?.message}`),
    });
    for (const hop of [TCP, TLS]) clients.start(requestOf('BYE', branch(hop)), hop, named(hop, 'BYE'));
    clients.start({ ...ringing, ...branch(UDP) }, TCP, named(TCP, 'INVITE'));
    clients.receive(respond({ ...ringing, ...branch(UDP) }, 180, { toTag: 'b' }), TCP);
    clients.lose(TCP);
    expect([heard, clients.size, sent.map(({ line }) => line)]).toEqual([['180'], 3, ['BYE', 'BYE', 'INVITE', 'BYE']]);
    expect(sent[3]).toEqual(sent[0]);
    clients.lose(TCP);
    const words = 'BYE over tcp: The connection broke before an answer came.';
    expect([heard, clients.size, sent.length]).toEqual([['180', words], 2, 4]);
  });

  const branch = ({ transport }: Hop) => {
    const via = requestOf('INVITE').vias[0];
    return { vias: [{ ...via, params: [['branch', `z9hG4bK-${transport}`] as const] }] as const };
  };
});

describe('a server transaction over TCP', () => {
  const from: Source = { ...TCP, port: 41_000, connection: 7 };
  const servers = () => createServerTransactions({ send, wakeAfter: clock.wakeAfter, limit: 10 });

  test('answers on the connection, once, and is over with the ACK', async () => {
    const table = servers();
    table.open(invite, from)?.answer(respond(invite, 486, { toTag: 'b' }));
    await clock.advance(5_000);
    expect(sent.map(({ line, to }) => [line, to])).toEqual([['SIP/2.0 486 Busy Here', from]]);
    table.receive({ ...invite, method: 'ACK', cseq: { number: 1, method: 'ACK' } });
    await clock.advance(0);
    expect(table.size).toBe(0);
  });

  test('over TLS goes to the stated port, whose certificate is to prove the stated host, if the connection is gone', async () => {
    const bye = requestOf('BYE');
    const ended: Source = { ...TLS, port: 41_000, tlsName: null, connection: 7 };
    problems = { tls: new NotConnected('gone') };
    const table = servers();
    table.open(bye, ended)?.answer(respond(bye, 200));
    await clock.advance(0);
    const stated: Hop = { ...TLS, port: 5060, tlsName: '192.0.2.1' };
    expect([sent.map(({ to }) => to), table.size]).toEqual([[ended, stated], 0]);
  });
});
