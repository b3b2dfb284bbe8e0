import type { CallTrunk } from '../domain/call.ts';
import type { EndDialog } from '../domain/ports.ts';
import type { Source } from '../sip/hop.ts';
import type { SipResponse } from '../sip/message.ts';
import { ackOfRefusal } from '../sip/request.ts';
import { serializeMessage } from '../sip/serialize.ts';
import { type DialogTrace, readTrace, traceOfAnswer } from './dialog-trace.ts';
import { endDialog } from './end-dialog.ts';
import type { Signalling } from './signalling.ts';

export interface Orphans {
  readonly end: EndDialog;
  /** Takes an answer that no transaction of ours waits for. */
  onAnswer(answer: SipResponse, from: Source): void;
}

/** Dialogs whose answers are waited for; at the bound the oldest is forgotten. */
const MAX_ORPHANS = 10_000;

/** Dialogs of nodes that are no more: each is ended, and so is what still answers an INVITE of theirs. */
export const createOrphans = (signalling: Signalling): Orphans => {
  /** By Call-ID. */
  const trunks = new Map<string, CallTrunk | null>();
  const remember = (callId: string, trunk: CallTrunk | null): void => {
    const [oldest] = trunks.keys();
    if (trunks.size >= MAX_ORPHANS && oldest !== undefined) trunks.delete(oldest);
    trunks.set(callId, trunk);
  };
  const end = (trace: DialogTrace, trunk: CallTrunk | null): Promise<void> =>
    endDialog(signalling, trace, trunk).catch((error: unknown) =>
      signalling.log.warn({ err: error, callId: trace.invite.callId }, 'a dialog could not be ended'),
    );
  return {
    async end({ sipCallId, dialog, trunk }) {
      remember(sipCallId, trunk);
      const trace = dialog === null ? null : readTrace(dialog);
      if (trace) await end(trace, trunk);
    },
    onAnswer(answer, from) {
      const trunk = trunks.get(answer.callId);
      if (trunk === undefined || answer.cseq.method !== 'INVITE' || answer.status === 100) return;
      const trace = traceOfAnswer(answer, from);
      if (answer.status < 300) void end(trace, trunk);
      else signalling.send(serializeMessage(ackOfRefusal(trace.invite, answer)), from);
    },
  };
};
