import type { Header, SipMessage } from './message.ts';
import { type NameAddr, serializeNameAddr } from './name-addr.ts';
import { serializeUri } from './uri.ts';
import { serializeVia } from './via.ts';

const encoder = new TextEncoder();

/** The last guard: whatever a value holds, it stays on its line. */
const onOneLine = (text: string): string => text.toWellFormed().replace(/[\r\n]/g, ' ');

const token = (text: string): string => text.replace(/[^A-Za-z0-9\-.!%*_+`'~]/g, '-');

const line = (name: string, value: string): string => `${name}: ${onOneLine(value)}\r\n`;

const addressLines = (name: string, addresses: readonly NameAddr[]): string =>
  addresses.map((address) => line(name, serializeNameAddr(address))).join('');

const startLine = (message: SipMessage): string =>
  message.kind === 'request'
    ? `${token(message.method)} ${serializeUri(message.uri)} SIP/2.0\r\n`
    : `SIP/2.0 ${message.status} ${onOneLine(message.reason)}\r\n`;

const headerLine = (header: Header): string => line(token(header.name), header.value);

const headText = (message: SipMessage): string => {
  let text = startLine(message);
  for (const via of message.vias) text += line('Via', serializeVia(via));
  if (message.maxForwards !== null) text += line('Max-Forwards', String(message.maxForwards));
  text += addressLines('From', [message.from]) + addressLines('To', [message.to]);
  text += line('Call-ID', message.callId) + line('CSeq', `${message.cseq.number} ${token(message.cseq.method)}`);
  text += addressLines('Contact', message.contacts);
  text += addressLines('Record-Route', message.recordRoutes) + addressLines('Route', message.routes);
  for (const header of message.headers) text += headerLine(header);
  if (message.contentType !== null) text += line('Content-Type', message.contentType);
  return `${text}Content-Length: ${message.body.length}\r\n\r\n`;
};

/** Writes a message. Every value is built from its typed parts, so that none can end its line or its place in it. */
export const serializeMessage = (message: SipMessage): Uint8Array => {
  const head = encoder.encode(headText(message));
  if (message.body.length === 0) return head;
  const octets = new Uint8Array(head.length + message.body.length);
  octets.set(head);
  octets.set(message.body, head.length);
  return octets;
};
