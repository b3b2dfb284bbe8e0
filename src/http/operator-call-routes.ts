import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { DialerHandle } from '../app/dialer-handle.ts';
import { callWithLiveProgress } from '../app/read-blast.ts';
import { AppError } from '../domain/app-error.ts';
import type { CallView } from '../domain/call.ts';
import type { CallTrace, TraceEnd } from '../domain/sip-trace.ts';
import type { Store } from '../domain/store-port.ts';
import { callJson } from './blast-json.ts';
import { isoTime } from './iso-time.ts';
import { IdParams } from './operator-schemas.ts';
import { PageQuery, pageOf } from './page-query.ts';

/** Makes a capture file of messages. */
export type ToPcap = (messages: CallTrace['messages']) => Uint8Array;

type ById = { Params: Static<typeof IdParams> };
type Paged = { Querystring: Static<typeof PageQuery> };

const PCAP_TYPE = 'application/vnd.tcpdump.pcap';

/** Calls of every application, and what was said on the wire. */
export const operatorCallRoutes =
  (store: Store, dialer: Pick<DialerHandle, 'framesSent'>, toPcap: ToPcap) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const json = (call: CallView) => ({ ...callJson(callWithLiveProgress(call, dialer)), blastId: call.blastId });
    app.get<Paged>('/operator/v1/calls', { schema: { querystring: PageQuery } }, async ({ query }) => {
      const { items, next } = await store.view((views) => views.listCalls(pageOf(query)));
      return { items: items.map(json), next };
    });
    app.get<ById>('/operator/v1/calls/:id', { schema: { params: IdParams } }, async ({ params }) =>
      json(await findCall(store, params.id)),
    );
    app.get<ById>('/operator/v1/calls/:id/messages', { schema: { params: IdParams } }, async ({ params }) =>
      traceJson(await findTrace(store, params.id)),
    );
    app.get<ById>(
      '/operator/v1/calls/:id/messages.pcap',
      { schema: { params: IdParams } },
      async ({ params }, reply) => {
        const { messages } = await findTrace(store, params.id);
        return reply
          .type(PCAP_TYPE)
          .header('content-disposition', 'attachment; filename="call.pcap"')
          .send(toPcap(messages));
      },
    );
    done();
  };

const findCall = async (store: Store, id: string): Promise<CallView> => {
  const call = await store.view((views) => views.findCall(id));
  if (!call) throw new AppError('not_found', 'There is no such call.');
  return call;
};

const findTrace = async (store: Store, id: string): Promise<CallTrace> => {
  await findCall(store, id);
  return store.view((views) => views.findCallTrace(id));
};

/** Octets that are no UTF-8 are shown as U+FFFD: the capture file has them as they were. */
const traceJson = ({ messages, omitted }: CallTrace) => ({
  items: messages.map((message) => ({
    attempt: message.attemptNumber,
    direction: message.direction,
    transport: message.transport,
    local: endText(message.local),
    remote: endText(message.remote),
    at: isoTime(message.seenAt),
    text: new TextDecoder().decode(message.octets),
  })),
  next: null,
  omitted,
});

const endText = ({ address, port }: TraceEnd): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
