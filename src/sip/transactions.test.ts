import { beforeEach, describe, expect, test } from 'vitest';
import { requestOf } from '../../test/support/sip-messages.ts';
import { createVirtualClock, type VirtualClock } from '../../test/support/virtual-clock.ts';
import { type ClientTransactions, createClientTransactions } from './client-transactions.ts';
import { udpSource } from './hop.ts';
import type { SipMessage, SipResponse } from './message.ts';
import { withTag } from './name-addr.ts';
import { parseMessage } from './parse.ts';
import { cancelOf } from './request.ts';
import { respond } from './response.ts';
import { createServerTransactions, type ServerTransactions } from './server-transactions.ts';
import { type Address, udpVia } from './via.ts';

const PEER = udpSource({ address: '192.0.2.2', port: 5060 });

let clock: VirtualClock;
let sent: { readonly message: SipMessage; readonly to: Address }[];

const send = (octets: Uint8Array, to: Address): void => {
  const parsed = parseMessage(octets);
  if (!parsed.ok) throw new Error(parsed.problem);
  sent.push({ message: parsed.message, to });
};

beforeEach(() => {
  clock = createVirtualClock();
  sent = [];
});

describe('client transactions', () => {
  let heard: string[];
  let clients: ClientTransactions;
  const user = {
    onResponse: (response: SipResponse) => heard.push(`${response.status}`),
    onFailure: (failure: string) => heard.push(failure),
    onTerminated: () => heard.push('terminated'),
  };
  const invite = requestOf('INVITE');
  const ok = respond(invite, 200, { toTag: 'b' });

  beforeEach(() => {
    heard = [];
    clients = createClientTransactions({ send, wakeAfter: clock.wakeAfter, limit: 2 });
  });

  test.each([
    ['another branch', { vias: [udpVia('192.0.2.1', 5060, 'z9hG4bK-other')] as const }],
    ['another method', { cseq: { number: 1, method: 'BYE' } }],
    ['another CSeq number', { cseq: { number: 2, method: 'INVITE' } }],
    ['another Call-ID', { callId: 'other' }],
    ['another From-tag', { from: withTag(invite.from, 'other') }],
  ])('a response with %s is not taken', (_name, change) => {
    clients.start(invite, PEER, user);
    expect(clients.receive({ ...ok, ...change } as SipResponse, PEER)).toBe(false);
    expect(heard).toEqual([]);
    expect(clients.receive(ok, PEER)).toBe(true);
    expect(heard).toEqual(['200']);
  });

  test('inside a dialog the To-tag must be the peer’s', () => {
    const bye = requestOf('BYE', { to: withTag(invite.to, 'b') });
    clients.start(bye, PEER, user);
    expect(clients.receive({ ...respond(bye, 200), to: withTag(invite.to, 'other') }, PEER)).toBe(false);
    expect(clients.receive(respond(bye, 200), PEER)).toBe(true);
  });

  test('CANCEL and its INVITE share a branch and stay apart', () => {
    clients.start(invite, PEER, user);
    const cancelUser = { ...user, onResponse: (response: SipResponse) => heard.push(`CANCEL ${response.status}`) };
    clients.start(cancelOf(invite), PEER, cancelUser);
    clients.receive(respond(cancelOf(invite), 200, { toTag: 'b' }), PEER);
    clients.receive(respond(invite, 487, { toTag: 'b' }), PEER);
    expect(heard).toEqual(['CANCEL 200', '487']);
  });

  test('leave the table when they are over', async () => {
    clients.start(invite, PEER, user);
    clients.receive(ok, PEER);
    expect(clients.size).toBe(1);
    await clock.runOut();
    expect([clients.size, heard, clock.waiting]).toEqual([0, ['200', 'terminated'], 0]);
  });

  test('a full table refuses, later, as a failure to send', async () => {
    for (const number of [1, 2, 3]) {
      const vias = [udpVia('192.0.2.1', 5060, `z9hG4bK-${number}`)] as const;
      clients.start({ ...invite, vias }, PEER, user);
    }
    expect([clients.size, heard]).toEqual([2, []]);
    await clock.advance(0);
    expect(heard).toEqual(['transport-error', 'terminated']);
  });

  test('one that is stopped sends and hears nothing more', async () => {
    const stop = clients.start(invite, PEER, user);
    stop();
    expect(clients.receive(ok, PEER)).toBe(false);
    await clock.runOut();
    expect([sent.length, heard]).toEqual([1, []]);
  });
});

describe('server transactions', () => {
  let servers: ServerTransactions;
  beforeEach(() => {
    servers = createServerTransactions({ send, wakeAfter: clock.wakeAfter, limit: 2 });
  });
  const statuses = (): number[] => sent.map(({ message }) => (message.kind === 'response' ? message.status : 0));

  test('answer to the source, repeat for a retransmission, and end', async () => {
    const options = requestOf('OPTIONS');
    expect(servers.receive(options)).toBe(false);
    servers
      .open(options, udpSource({ address: '198.51.100.1', port: 999 }))
      ?.answer(respond(options, 200, { toTag: 'x' }));
    expect(servers.receive(options)).toBe(true);
    expect(sent.map(({ to }) => to)).toEqual(Array(2).fill(udpSource({ address: '198.51.100.1', port: 999 })));
    await clock.runOut();
    expect([servers.size, clock.waiting]).toEqual([0, 0]);
  });

  test('the ACK of a refusal belongs to the INVITE; a 2xx has its ACK elsewhere', async () => {
    const invite = requestOf('INVITE');
    servers.open(invite, PEER)?.answer(respond(invite, 486, { toTag: 'x' }));
    await clock.advance(600);
    expect(statuses()).toEqual([486, 486]);
    expect(servers.receive({ ...invite, method: 'ACK', cseq: { number: 1, method: 'ACK' } })).toBe(true);
    await clock.runOut();
    expect([statuses().length, servers.size]).toEqual([2, 0]);
    expect(servers.receive(requestOf('ACK'))).toBe(false);
  });

  test('an ACK with the branch of an accepted INVITE reaches the user (RFC 6026)', () => {
    const invite = requestOf('INVITE');
    const acks: string[] = [];
    const transaction = servers.open(invite, PEER, { onAck: (ack) => acks.push(ack.method) });
    transaction?.answer(respond(invite, 200, { toTag: 'x' }));
    servers.receive({ ...invite, method: 'ACK', cseq: { number: 1, method: 'ACK' } });
    expect(acks).toEqual(['ACK']);
  });

  test('are told apart by branch, sent-by and method', () => {
    servers.open(requestOf('INVITE'), PEER);
    expect(servers.findCancelled(cancelOf(requestOf('INVITE')))?.request.method).toBe('INVITE');
    expect(servers.receive(requestOf('OPTIONS'))).toBe(false);
    expect(servers.receive(requestOf('INVITE', { vias: [udpVia('192.0.2.9', 5060, 'z9hG4bK-1')] }))).toBe(false);
  });

  test('a branch without the cookie (RFC 2543) is told apart by the names of the request', () => {
    const old = requestOf('OPTIONS', { vias: [udpVia('192.0.2.1', 5060, '1')] });
    servers.open(old, PEER);
    expect(servers.receive(old)).toBe(true);
    expect(servers.receive({ ...old, cseq: { number: 2, method: 'OPTIONS' } })).toBe(false);
  });

  test('a full table takes no more', () => {
    for (const number of [1, 2]) {
      servers.open(requestOf('OPTIONS', { vias: [udpVia('192.0.2.1', 5060, `z9hG4bK-${number}`)] }), PEER);
    }
    expect(servers.open(requestOf('INFO'), PEER)).toBeNull();
  });

  test('a transport that fails ends them', async () => {
    const failing = createServerTransactions({
      send: (_octets, _to, onError) => void clock.wakeAfter(0, () => onError?.(new Error('gone'))),
      wakeAfter: clock.wakeAfter,
      limit: 2,
    });
    failing.open(requestOf('INVITE'), PEER)?.answer(respond(requestOf('INVITE'), 486, { toTag: 'x' }));
    await clock.advance(0);
    expect([failing.size, clock.waiting]).toEqual([0, 0]);
  });
});
