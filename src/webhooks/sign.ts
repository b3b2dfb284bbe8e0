import { Webhook } from 'standardwebhooks';
import { eventData } from '../domain/event.ts';
import type { Delivery } from '../domain/webhook.ts';

/** A request of a delivery, by the Standard Webhooks specification. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The id is the event's, the same in every attempt; the time is that of the attempt; each secret that is valid signs. */
export const signedRequest = ({ event, secrets, claimedAt }: Delivery): SignedRequest => {
  const timestamp = new Date(event.at).toISOString();
  const body = JSON.stringify({ type: event.type, timestamp, data: eventData(event, timestamp) });
  const sentAt = new Date(claimedAt);
  const id = `evt_${event.id}`;
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Ringcast',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(claimedAt / 1000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(' '),
    },
  };
};
