// A fake carrier in a process of its own: a UAS over UDP that outlives every node, and writes each dialog to the log at
// argv[2]. Prints its port. How a number behaves stands at the beginning of the user part of its URI.
import { randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { type Dialog, dialogOfInvite, requestInDialog } from '../../src/sip/dialog.ts';
import type { SipMessage, SipRequest, SipResponse } from '../../src/sip/message.ts';
import { nameAddr } from '../../src/sip/name-addr.ts';
import { parseMessage } from '../../src/sip/parse.ts';
import { respond } from '../../src/sip/response.ts';
import { serializeMessage } from '../../src/sip/serialize.ts';
import { isSipUri, sipUri } from '../../src/sip/uri.ts';
import { branchOf, stampVia, udpVia } from '../../src/sip/via.ts';
import type { CarrierEvent, CarrierEventType } from './carrier-event.ts';

interface CarrierCall {
  readonly invite: SipRequest;
  readonly from: RemoteInfo;
  readonly dialog: Dialog;
  readonly tag: string;
  /** Sent again when the INVITE comes again. */
  last: SipResponse | null;
  state: 'ringing' | 'answered' | 'acknowledged' | 'over';
}

const [, , logPath = ''] = process.argv;
const RINGS_MS = 150;
const TALKS_MS = 100;
const REPEAT_MS = 500;
/** 64*T1: how long an answer is repeated for want of an ACK. */
const REPEATS = 64;

const socket = createSocket('udp4').bind(0, '127.0.0.1');
const voice = createSocket('udp4').bind(0, '127.0.0.1');
await Promise.all([once(socket, 'listening'), once(voice, 'listening')]);
const { port } = socket.address();
const contact = nameAddr(sipUri({ user: 'carrier', host: '127.0.0.1', port }));
const sdp = [
  ...['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'],
  `m=audio ${voice.address().port} RTP/AVP 0`,
];
const answerBody = { contentType: 'application/sdp', body: new TextEncoder().encode(`${sdp.join('\r\n')}\r\n`) };
/** By Call-ID and branch of the INVITE. */
const calls = new Map<string, CarrierCall>();
/** Those that are not over, by Call-ID. */
const inProgress = new Map<string, CarrierCall>();

const branchOfRequest = ({ vias }: SipRequest): string => branchOf(vias[0]) ?? '';
const keyOf = (request: SipRequest): string => `${request.callId} ${branchOfRequest(request)}`;

const note = (type: CarrierEventType, { invite }: Pick<CarrierCall, 'invite'>): void => {
  const event: CarrierEvent = { at: Date.now(), type, sipCallId: invite.callId, branch: branchOfRequest(invite) };
  appendFileSync(logPath, `${JSON.stringify(event)}\n`);
};

const send = (message: SipMessage, to: RemoteInfo): void =>
  socket.send(serializeMessage(message), to.port, to.address, () => undefined);

const answer = (call: CarrierCall, status: number): void => {
  call.last = respond(call.invite, status, { toTag: call.tag, contact, ...(status === 200 ? answerBody : {}) });
  send(call.last, call.from);
};

const end = (call: CarrierCall, why: CarrierEventType): void => {
  if (call.state === 'over') return;
  call.state = 'over';
  inProgress.delete(call.invite.callId);
  note(why, call);
};

const pickUp = (call: CarrierCall): void => {
  if (call.state !== 'ringing') return;
  call.state = 'answered';
  note('answered', call);
  repeatAnswer(call, REPEATS);
};

const repeatAnswer = (call: CarrierCall, left: number): void => {
  if (call.state !== 'answered') return;
  if (left === 0) end(call, 'unacknowledged');
  else {
    answer(call, 200);
    setTimeout(() => repeatAnswer(call, left - 1), REPEAT_MS);
  }
};

const refuse = (call: CarrierCall): void => {
  answer(call, 486);
  end(call, 'refused');
};

const hangUp = (call: CarrierCall): void => {
  if (call.state !== 'acknowledged') return;
  const via = udpVia('127.0.0.1', port, `z9hG4bK${randomBytes(8).toString('hex')}`);
  send(requestInDialog(call.dialog, 'BYE', { via }).request, call.from);
  end(call, 'hung-up');
};

/** What a number does once it has rung, by the first word of its user part; any other rings on. */
const BEHAVIOURS: Readonly<Record<string, (call: CarrierCall) => void>> = {
  answer: pickUp,
  talk: pickUp,
  busy: refuse,
};

const wordOf = ({ uri }: SipRequest): string => (isSipUri(uri) ? (uri.user?.split('-')[0] ?? '') : '');

const onInvite = (invite: SipRequest, from: RemoteInfo): void => {
  const known = calls.get(keyOf(invite));
  if (known) return void (known.last && send(known.last, from));
  const tag = randomBytes(6).toString('hex');
  const dialog = dialogOfInvite(invite, tag);
  if (!dialog) return;
  const call: CarrierCall = { invite, from, dialog, tag, last: null, state: 'ringing' };
  calls.set(keyOf(invite), call);
  inProgress.set(invite.callId, call);
  note('invite', call);
  answer(call, 180);
  note('ringing', call);
  setTimeout(() => call.state === 'ringing' && BEHAVIOURS[wordOf(invite)]?.(call), RINGS_MS);
};

const onAck = (ack: SipRequest): void => {
  const call = inProgress.get(ack.callId);
  if (call?.state !== 'answered') return;
  call.state = 'acknowledged';
  note('acknowledged', call);
  if (wordOf(call.invite) === 'talk') setTimeout(() => hangUp(call), TALKS_MS);
};

const onBye = (bye: SipRequest, from: RemoteInfo): void => {
  const call = inProgress.get(bye.callId);
  send(respond(bye, call ? 200 : 481), from);
  if (call) end(call, 'bye');
};

const onCancel = (cancel: SipRequest, from: RemoteInfo): void => {
  const call = calls.get(keyOf(cancel));
  send(respond(cancel, call ? 200 : 481, { toTag: call?.tag ?? 'none' }), from);
  if (call?.state !== 'ringing') return;
  answer(call, 487);
  end(call, 'cancelled');
};

socket.on('message', (octets, from) => {
  const parsed = parseMessage(octets);
  if (!parsed.ok || parsed.message.kind === 'response') return;
  const [via, ...others] = parsed.message.vias;
  const request: SipRequest = { ...parsed.message, vias: [stampVia(via, from), ...others] };
  if (request.method === 'INVITE') onInvite(request, from);
  else if (request.method === 'ACK') onAck(request);
  else if (request.method === 'BYE') onBye(request, from);
  else if (request.method === 'CANCEL') onCancel(request, from);
  else send(respond(request, 200, { toTag: 'carrier' }), from);
});

process.stdin.resume().on('end', () => process.exit());
process.stdout.write(`${port}\n`);
