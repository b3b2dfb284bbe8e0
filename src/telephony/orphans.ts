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
  const callIds = new Set<string>();
  const remember = (callId: string): void => {
    const [oldest] = callIds;
    if (callIds.size >= MAX_ORPHANS && oldest !== undefined) callIds.delete(oldest);
    callIds.add(callId);
  };
  const end = (trace: DialogTrace): Promise<void> =>
    endDialog(signalling, trace).catch((error: unknown) =>
      signalling.log.warn({ err: error, callId: trace.invite.callId }, 'a dialog could not be ended'),
    );
  return {
    async end({ sipCallId, dialog }) {
      remember(sipCallId);
      const trace = dialog === null ? null : readTrace(dialog);
      if (trace) await end(trace);
    },
    onAnswer(answer, from) {
      if (!callIds.has(answer.callId) || answer.cseq.method !== 'INVITE' || answer.status === 100) return;
      const trace = traceOfAnswer(answer, from);
      if (answer.status < 300) void end(trace);
      else signalling.send(serializeMessage(ackOfRefusal(trace.invite, answer)), from);
    },
  };
};
