import { describe, expect, test } from 'vitest';
import { requestOf } from '../../test/support/sip-messages.ts';
import {
  ackInDialog,
  type Dialog,
  dialogOfAnswer,
  dialogOfInvite,
  keyOfDialog,
  keyOfRequest,
  nextHopOf,
  receiveInDialog,
  requestInDialog,
} from './dialog.ts';
import type { SipRequest } from './message.ts';
import { type NameAddr, nameAddr, parseNameAddr } from './name-addr.ts';
import { respond } from './response.ts';
import { serializeUri } from './uri.ts';
import { udpVia } from './via.ts';

const address = (text: string): NameAddr => {
  const parsed = parseNameAddr(text);
  if (!parsed) throw new Error(text);
  return parsed;
};
const uriTexts = (addresses: readonly NameAddr[]): string[] => addresses.map((each) => serializeUri(each.uri));

const VIA = udpVia('192.0.2.1', 5060, 'z9hG4bK-2');
const CONTACT = address('<sip:bob@192.0.2.2:5070>');
const ROUTES = [address('<sip:p2.test;lr>'), address('<sip:p1.test;lr>')];
const INVITE = requestOf('INVITE', { cseq: { number: 7, method: 'INVITE' } });
const answerWith = (recordRoutes: readonly NameAddr[]) => ({
  ...respond(INVITE, 200, { toTag: 'b', contact: CONTACT }),
  recordRoutes,
});
const uacDialog = (recordRoutes: readonly NameAddr[] = []): Dialog => dialogOfAnswer(INVITE, answerWith(recordRoutes));

describe('creation', () => {
  test('at the caller: the route set is Record-Route reversed, the target is the Contact (12.1.2)', () => {
    const dialog = uacDialog(ROUTES);
    expect(uriTexts(dialog.routeSet)).toEqual(['sip:p1.test;lr', 'sip:p2.test;lr']);
    expect(serializeUri(dialog.remoteTarget)).toBe('sip:bob@192.0.2.2:5070');
    expect(dialog).toMatchObject({ localSeq: 7, remoteSeq: null });
  });

  test('an answer without a Contact leaves the Request-URI as target', () => {
    const dialog = dialogOfAnswer(INVITE, respond(INVITE, 200, { toTag: 'b' }));
    expect(serializeUri(dialog.remoteTarget)).toBe('sip:bob@192.0.2.2');
  });

  test('at the called party: Record-Route in order, the names the other way round (12.1.1)', () => {
    const dialog = dialogOfInvite({ ...INVITE, recordRoutes: ROUTES }, 'b') as Dialog;
    expect(uriTexts(dialog.routeSet)).toEqual(['sip:p2.test;lr', 'sip:p1.test;lr']);
    expect(dialog).toMatchObject({ localSeq: null, remoteSeq: 7, local: { params: [['tag', 'b']] } });
    expect(serializeUri(dialog.remoteTarget)).toBe('sip:alice@192.0.2.1');
    expect(dialogOfInvite({ ...INVITE, contacts: [] }, 'b')).toBeNull();
  });

  test('each end finds the dialog by the requests of the other', () => {
    const uac = uacDialog();
    const uas = dialogOfInvite(INVITE, 'b') as Dialog;
    expect(keyOfRequest(requestInDialog(uac, 'BYE', { via: VIA }).request)).toBe(keyOfDialog(uas));
    expect(keyOfRequest(requestInDialog(uas, 'BYE', { via: VIA }).request)).toBe(keyOfDialog(uac));
    expect(keyOfRequest(INVITE)).not.toBe(keyOfDialog(uas));
  });
});

describe('requests inside', () => {
  test('count CSeq on; the ACK has the number of its INVITE', () => {
    const bye = requestInDialog(uacDialog(), 'BYE', { via: VIA });
    expect(bye.request).toMatchObject({ method: 'BYE', cseq: { number: 8, method: 'BYE' }, maxForwards: 70 });
    expect(requestInDialog(bye.dialog, 'OPTIONS', { via: VIA }).request.cseq.number).toBe(9);
    expect(ackInDialog(uacDialog(), 7, VIA)).toMatchObject({ method: 'ACK', cseq: { number: 7, method: 'ACK' } });
    expect(requestInDialog(dialogOfInvite(INVITE, 'b') as Dialog, 'BYE', { via: VIA }).request.cseq.number).toBe(1);
  });

  test('loose routing: the target is the Request-URI, the routes are Route, the first is the next hop', () => {
    const { request } = requestInDialog(uacDialog(ROUTES), 'BYE', { via: VIA });
    expect(serializeUri(request.uri)).toBe('sip:bob@192.0.2.2:5070');
    expect(uriTexts(request.routes)).toEqual(['sip:p1.test;lr', 'sip:p2.test;lr']);
    expect(serializeUri(nextHopOf(request))).toBe('sip:p1.test;lr');
  });

  test('a strict router takes the Request-URI, and the target goes to the end of Route (12.2.1.1)', () => {
    const strict = [address('<sip:p2.test;lr>'), address('<sip:old.test>')];
    const { request } = requestInDialog(uacDialog(strict), 'BYE', { via: VIA });
    expect(serializeUri(request.uri)).toBe('sip:old.test');
    expect(uriTexts(request.routes)).toEqual(['sip:p2.test;lr', 'sip:bob@192.0.2.2:5070']);
    const lone = requestInDialog(uacDialog([address('<sip:old.test>')]), 'BYE', { via: VIA }).request;
    expect(serializeUri(nextHopOf(lone))).toBe('sip:old.test');
  });

  test('the Request-URI loses what it must not have, method and headers (19.1.1)', () => {
    const contact = address('<sip:bob@192.0.2.2;method=INVITE;ob?Subject=hello>');
    const dialog = dialogOfAnswer(INVITE, respond(INVITE, 200, { toTag: 'b', contact }));
    expect(serializeUri(requestInDialog(dialog, 'BYE', { via: VIA }).request.uri)).toBe('sip:bob@192.0.2.2;ob');
  });

  test('without routes the next hop is the target', () => {
    expect(serializeUri(nextHopOf(ackInDialog(uacDialog(), 7, VIA)))).toBe('sip:bob@192.0.2.2:5070');
  });
});

describe('requests received (12.2.2)', () => {
  const incoming = (method: string, number: number): SipRequest =>
    requestOf(method, { cseq: { number, method }, contacts: [nameAddr(address('<sip:new@192.0.2.9>').uri)] });

  test('the first may have any number; later ones must be higher; gaps are allowed', () => {
    const first = receiveInDialog(uacDialog(), incoming('OPTIONS', 0)) as Dialog;
    expect(first.remoteSeq).toBe(0);
    const later = receiveInDialog(first, incoming('OPTIONS', 9)) as Dialog;
    expect(later.remoteSeq).toBe(9);
    expect(receiveInDialog(later, incoming('OPTIONS', 9))).toBeNull();
    expect(receiveInDialog(later, incoming('BYE', 8))).toBeNull();
  });

  test('ACK is never out of order and counts nothing', () => {
    const dialog = receiveInDialog(uacDialog(), incoming('OPTIONS', 9)) as Dialog;
    expect(receiveInDialog(dialog, incoming('ACK', 3))).toBe(dialog);
  });

  test('INVITE and UPDATE refresh the target, others do not', () => {
    const target = (method: string): string =>
      serializeUri((receiveInDialog(uacDialog(), incoming(method, 1)) as Dialog).remoteTarget);
    expect(['INVITE', 'UPDATE', 'BYE', 'OPTIONS'].map(target)).toEqual([
      'sip:new@192.0.2.9',
      'sip:new@192.0.2.9',
      'sip:bob@192.0.2.2:5070',
      'sip:bob@192.0.2.2:5070',
    ]);
  });
});
