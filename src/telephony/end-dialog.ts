import type { CallTrunk } from '../domain/call.ts';
import { tagOf } from '../sip/name-addr.ts';
import { cancelOf } from '../sip/request.ts';
import { targetOfTrunk } from './call-target.ts';
import { DialogRequests } from './dialog-requests.ts';
import type { DialogTrace } from './dialog-trace.ts';
import { farewellOf } from './final-answer.ts';
import type { Signalling } from './signalling.ts';
import { TrunkLogin } from './trunk-login.ts';

/** Requests that the node which died may have sent in the dialog: our CSeq number is beyond theirs (RFC 3261 12.2.1.1). */
const SKIPPED_NUMBERS = 1000;

const NOBODY = { onResponse: () => undefined, onFailure: () => undefined };

/**
 * Ends a dialog that another process has begun, however far it came: CANCEL unless it was seen answered (RFC 3261 9.1),
 * then ACK and BYE, for it may have been answered since; `trunk` may ask who hangs up. Resolves when nothing more will
 * come of it.
 */
export const endDialog = async (
  signalling: Signalling,
  { invite, answer, hop }: DialogTrace,
  trunk: CallTrunk | null,
): Promise<void> => {
  signalling.meet(hop);
  const localAddress = await signalling.findLocalAddress(hop);
  const headers = [farewellOf('interrupted')];
  if (answer.status < 200) signalling.clients.start(cancelOf(invite, headers), hop, NOBODY);
  if (tagOf(answer.to) === null) return;
  const { number, method } = invite.cseq;
  const requests = new DialogRequests(signalling, {
    invite: { ...invite, cseq: { number: number + SKIPPED_NUMBERS, method } },
    response: answer,
    localAddress,
    peer: hop,
    login: await loginOf(signalling, trunk),
  });
  requests.ackOf(invite)();
  await new Promise<void>((resolve) =>
    requests.send('BYE', { headers }, { onFinal: () => resolve(), onFailure: () => resolve() }),
  );
};

/** The hop need not be the trunk's: its calls may have been redirected, and it may have moved. */
const loginOf = async (signalling: Signalling, trunk: CallTrunk | null): Promise<TrunkLogin> => {
  if (!trunk?.credentials) return new TrunkLogin(signalling, null, []);
  try {
    return new TrunkLogin(signalling, trunk, await signalling.locate(targetOfTrunk(trunk)));
  } catch {
    return new TrunkLogin(signalling, null, []);
  }
};
