import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, openReceiver, type Received, verified } from '../../test/support/webhook-receiver.ts';
import type { Delivery } from '../domain/webhook.ts';
import { createAddressGate } from './address-gate.ts';
import { createSendWebhook } from './send-webhook.ts';

const LOOPBACK = createAddressGate([{ address: '127.0.0.0', prefixBits: 8 }]);
const SECRETS = ['whsec_bmV3LW5ldy1uZXctbmV3LW5ldy0=', 'whsec_b2xkLW9sZC1vbGQtb2xkLW9sZC0='] as const;
const NEVER = new AbortController().signal;

const delivery = (url: string): Delivery => ({
  webhookId: '101',
  url,
  secrets: SECRETS,
  event: {
    id: '7',
    type: 'call.finished',
    at: Date.parse('2026-01-31T09:00:00Z'),
    blastId: 'b',
    callId: 'b-1',
    outcome: 'busy',
    mediaId: null,
    trunkId: null,
    webhookId: null,
    detail: null,
  },
  attempt: 1,
  claimedAt: Date.now(),
});

const receiver = async (answerOf?: (received: Received) => Answer) => {
  const opened = await openReceiver(answerOf);
  onTestFinished(() => opened.close());
  return opened;
};

describe('a webhook', () => {
  it('arrives signed by each secret, as the reference library checks it', async () => {
    const { url, received } = await receiver();
    const send = createSendWebhook({ mayReach: LOOPBACK });
    expect(await send(delivery(url), NEVER)).toEqual({ kind: 'answered', status: 204 });
    const [request] = received;
    if (!request) throw new Error('nothing arrived');
    const data = {
      id: '7',
      type: 'call.finished',
      at: '2026-01-31T09:00:00.000Z',
      blastId: 'b',
      callId: 'b-1',
      outcome: 'busy',
    };
    const body = { type: 'call.finished', timestamp: '2026-01-31T09:00:00.000Z', data };
    for (const secret of SECRETS) expect(verified(request, secret)).toEqual(body);
    expect(() => verified(request, 'whsec_bm90LXRoaXMtb25lLW5vdC10aGlz')).toThrow(WebhookVerificationError);
    expect(request.headers).toMatchObject({ 'webhook-id': 'evt_7', 'content-type': 'application/json' });
  });

  it('follows no redirect', async () => {
    const target = await receiver();
    const { url } = await receiver(() => ({ status: 307, headers: { location: target.url } }));
    const send = createSendWebhook({ mayReach: LOOPBACK });
    expect(await send(delivery(url), NEVER)).toEqual({ kind: 'answered', status: 307 });
    expect(target.received).toEqual([]);
  });

  it('is sent nowhere if the host is, or resolves to, an address that is not public', async () => {
    const { port, received } = await receiver();
    for (const host of [
      '127.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '2130706433',
      '0x7f.1',
      'inside.test',
      'both.test',
    ]) {
      const lookup = async (name: string) => (name === 'both.test' ? ['8.8.8.8', '127.0.0.1'] : ['127.0.0.1']);
      const send = createSendWebhook({ mayReach: createAddressGate([]), lookup });
      expect(await send(delivery(`http://${host}:${port}/`), NEVER)).toMatchObject({ kind: 'refused' });
    }
    expect(received).toEqual([]);
  });

  it('goes to the address that was checked, whatever its name resolves to later', async () => {
    const { port, received } = await receiver();
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const send = createSendWebhook({ mayReach: LOOPBACK, lookup: async () => answers.shift() ?? [] });
    expect(await send(delivery(`http://rebinding.test:${port}/`), NEVER)).toEqual({ kind: 'answered', status: 204 });
    expect(answers).toHaveLength(1);
    expect(received[0]?.headers.host).toBe(`rebinding.test:${port}`);
  });

  it('is given up when the receiver, or the resolver, says nothing in time', async () => {
    const { url } = await receiver(() => 'never');
    const send = createSendWebhook({ mayReach: LOOPBACK, withinMs: 50 });
    expect(await send(delivery(url), NEVER)).toEqual({ kind: 'unanswered', reason: 'time-out' });
    const stuck = createSendWebhook({ mayReach: LOOPBACK, withinMs: 50, lookup: () => new Promise(() => undefined) });
    expect(await stuck(delivery('http://slow.test/'), NEVER)).toEqual({ kind: 'unanswered', reason: 'time-out' });
  });

  it('is given up when an answer drips without end', async () => {
    const { url } = await dripping(0);
    const send = createSendWebhook({ mayReach: LOOPBACK, withinMs: 100 });
    expect(await send(delivery(url), NEVER)).toEqual({ kind: 'unanswered', reason: 'time-out' });
  });

  it('reads no more than 64 KiB of an answer', async () => {
    const { url } = await dripping(1_000_000);
    const send = createSendWebhook({ mayReach: LOOPBACK });
    expect(await send(delivery(url), NEVER)).toEqual({ kind: 'answered', status: 200 });
  });

  it('tells why nothing was answered by a code, without the URL', async () => {
    const closed = await openReceiver();
    await closed.close();
    const send = createSendWebhook({ mayReach: LOOPBACK });
    expect(await send(delivery(`${closed.url}?token=secret`), NEVER)).toEqual({
      kind: 'unanswered',
      reason: 'ECONNREFUSED',
    });
  });
});

/** A receiver whose answer of so many octets never ends. */
const dripping = async (octets: number) => {
  const server = createServer((_request, response) => {
    response.writeHead(200);
    response.write(Buffer.alloc(octets + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
};
