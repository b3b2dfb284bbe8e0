import { EMPTY_BODY, type Header, type SipRequest, type SipResponse } from './message.ts';
import { type NameAddr, nameAddr, tagOf, withTag } from './name-addr.ts';
import { findParam } from './params.ts';
import { asRequestUri, isSipUri, type Uri } from './uri.ts';
import type { Via } from './via.ts';

/** The state of a dialog at one of its ends (RFC 3261 12). */
export interface Dialog {
  readonly callId: string;
  /** From of our requests, with our tag. */
  readonly local: NameAddr;
  /** To of our requests, with the peer's tag (none if the peer is of RFC 2543). */
  readonly remote: NameAddr;
  /** CSeq number of our last request; null before the first. */
  readonly localSeq: number | null;
  /** CSeq number of the peer's last request; null before the first. */
  readonly remoteSeq: number | null;
  /** Where the peer wants its requests: its Contact. */
  readonly remoteTarget: Uri;
  /** Proxies that want to see every request, in the order our requests pass them. */
  readonly routeSet: readonly NameAddr[];
}

/** What names a dialog at one end: Call-ID, local tag, remote tag. */
export const dialogKey = (callId: string, localTag: string | null, remoteTag: string | null): string =>
  `${callId}\n${localTag ?? ''}\n${remoteTag ?? ''}`;

export const keyOfDialog = (dialog: Dialog): string =>
  dialogKey(dialog.callId, tagOf(dialog.local), tagOf(dialog.remote));

/** Key of the dialog, at the receiving end, that a request from the peer belongs to. */
export const keyOfRequest = (request: SipRequest): string =>
  dialogKey(request.callId, tagOf(request.to), tagOf(request.from));

/**
 * The dialog that an answer to our INVITE creates (RFC 3261 12.1.2). If the answer lacks the Contact that it must
 * have, the request's own target stands in.
 */
export const dialogOfAnswer = (invite: SipRequest, response: SipResponse): Dialog => ({
  callId: invite.callId,
  local: invite.from,
  remote: response.to,
  localSeq: invite.cseq.number,
  remoteSeq: null,
  remoteTarget: response.contacts[0]?.uri ?? invite.uri,
  routeSet: response.recordRoutes.toReversed(),
});

/** An early dialog as the 2xx confirms it: route set and target are those of the 2xx (RFC 3261 13.2.2.4). */
export const confirmDialog = (early: Dialog, response: SipResponse): Dialog => ({
  ...early,
  remoteTarget: response.contacts[0]?.uri ?? early.remoteTarget,
  routeSet: response.recordRoutes.toReversed(),
});

/** The dialog after a 2xx to a re-INVITE or UPDATE of ours, whose Contact is the target from now on (12.2.1.2). */
export const refreshedBy = (dialog: Dialog, response: SipResponse): Dialog => ({
  ...dialog,
  remoteTarget: response.contacts[0]?.uri ?? dialog.remoteTarget,
});

/** The dialog that our answer to an INVITE creates (RFC 3261 12.1.1). Null if the INVITE has no Contact. */
export const dialogOfInvite = (invite: SipRequest, localTag: string): Dialog | null => {
  const contact = invite.contacts[0];
  if (!contact) return null;
  return {
    callId: invite.callId,
    local: withTag(invite.to, localTag),
    remote: invite.from,
    localSeq: null,
    remoteSeq: invite.cseq.number,
    remoteTarget: contact.uri,
    routeSet: invite.recordRoutes,
  };
};

export interface RequestParts {
  readonly via: Via;
  readonly contact?: NameAddr;
  readonly headers?: readonly Header[];
  readonly contentType?: string;
  readonly body?: Uint8Array;
}

const isLooseRouter = (route: NameAddr): boolean =>
  isSipUri(route.uri) && findParam(route.uri.params, 'lr') !== undefined;

/** Request-URI and Route of a request (RFC 3261 12.2.1.1): a strict router first in the set takes the Request-URI. */
const routed = (dialog: Dialog): { readonly uri: Uri; readonly routes: readonly NameAddr[] } => {
  const first = dialog.routeSet[0];
  if (!first || isLooseRouter(first)) return { uri: asRequestUri(dialog.remoteTarget), routes: dialog.routeSet };
  return { uri: asRequestUri(first.uri), routes: [...dialog.routeSet.slice(1), nameAddr(dialog.remoteTarget)] };
};

const build = (dialog: Dialog, method: string, number: number, parts: RequestParts): SipRequest => ({
  kind: 'request',
  method,
  ...routed(dialog),
  vias: [parts.via],
  from: dialog.local,
  to: dialog.remote,
  callId: dialog.callId,
  cseq: { number, method },
  maxForwards: 70,
  contacts: parts.contact ? [parts.contact] : [],
  recordRoutes: [],
  headers: parts.headers ?? [],
  contentType: parts.contentType ?? null,
  body: parts.body ?? EMPTY_BODY,
});

/** Builds a request inside the dialog, and the dialog with its CSeq number counted on (RFC 3261 12.2.1.1). */
export const requestInDialog = (
  dialog: Dialog,
  method: string,
  parts: RequestParts,
): { readonly dialog: Dialog; readonly request: SipRequest } => {
  const number = (dialog.localSeq ?? 0) + 1;
  return { dialog: { ...dialog, localSeq: number }, request: build(dialog, method, number, parts) };
};

/** The ACK of a 2xx: a request of its own, with CSeq number and credentials of the INVITE (RFC 3261 13.2.2.4). */
export const ackInDialog = (
  dialog: Dialog,
  inviteSeq: number,
  via: Via,
  credentials: readonly Header[] = [],
): SipRequest => build(dialog, 'ACK', inviteSeq, { via, headers: credentials });

/** URI that a request is sent to (RFC 3261 8.1.2): the first route if it routes loosely, else the Request-URI. */
export const nextHopOf = (request: SipRequest): Uri => {
  const first = request.routes[0];
  return first && isLooseRouter(first) ? first.uri : request.uri;
};

const REFRESHES_TARGET = new Set(['INVITE', 'UPDATE', 'SUBSCRIBE', 'NOTIFY', 'REFER']);

/**
 * Takes a request from the peer into the dialog (RFC 3261 12.2.2): the dialog as it is then, or null if the request
 * is out of order, which is to be answered with 500. ACK has the number of its INVITE and is never out of order.
 */
export const receiveInDialog = (dialog: Dialog, request: SipRequest): Dialog | null => {
  if (request.method === 'ACK') return dialog;
  if (dialog.remoteSeq !== null && request.cseq.number <= dialog.remoteSeq) return null;
  const target = REFRESHES_TARGET.has(request.method) ? request.contacts[0]?.uri : undefined;
  return { ...dialog, remoteSeq: request.cseq.number, remoteTarget: target ?? dialog.remoteTarget };
};
