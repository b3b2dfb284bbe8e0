import type { CallTrunk } from '../domain/call.ts';
import { retryAfterOf } from '../sip/delta-seconds.ts';
import type { SipResponse } from '../sip/message.ts';
import type { InviteLegUser } from './invite-leg.ts';
import type { CallSign } from './trunk-evidence.ts';

const ALIVE: CallSign = { kind: 'alive' };

const signOf = (response: SipResponse): CallSign => {
  const { status } = response;
  if (status < 500 || status >= 600) return ALIVE;
  const seconds = retryAfterOf(response);
  return { kind: 'failing', status, retryAfterMs: seconds === null ? null : 1000 * seconds };
};

/** The same user, and what it hears is told as signs of the trunk's health. */
export const withSigns = (
  user: InviteLegUser,
  trunk: CallTrunk | null,
  onSign: (trunkId: string, sign: CallSign) => void,
): InviteLegUser => {
  if (!trunk) return user;
  return {
    ...user,
    onProvisional: (status) => {
      // 100 is said by whoever stands first, before anything is known.
      if (status > 100) onSign(trunk.id, ALIVE);
      user.onProvisional(status);
    },
    onAccepted: (response, media) => {
      onSign(trunk.id, ALIVE);
      user.onAccepted(response, media);
    },
    onRefused: (response, words) => {
      onSign(trunk.id, signOf(response));
      user.onRefused(response, words);
    },
    onUnanswered: (reason) => {
      onSign(trunk.id, { kind: 'silent' });
      user.onUnanswered(reason);
    },
  };
};
