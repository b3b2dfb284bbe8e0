import type { SipRequest, SipResponse } from '../sip/message.ts';
import { requestAgain, withHeader } from '../sip/request.ts';
import { minSe, minSeOf, sessionExpires, sessionExpiresOf } from '../sip/session-timer.ts';
import { asRequestUri, type SipUri } from '../sip/uri.ts';
import { newBranch, type Signalling } from './signalling.ts';
import { withoutCredentials } from './trunk-login.ts';

const again = (signalling: Signalling, invite: SipRequest): SipRequest =>
  withoutCredentials(requestAgain(invite, newBranch(signalling.random)));

/** The INVITE to where a 3xx leads: To, From and Call-ID stay, so that it is the same attempt (RFC 3261 8.1.3.4). */
export const inviteElsewhere = (signalling: Signalling, invite: SipRequest, uri: SipUri): SipRequest => ({
  ...again(signalling, invite),
  uri: asRequestUri(uri),
});

/** The INVITE after a 422: with as long a session as the peer insists on (RFC 4028 7.3). Null if it was long enough. */
export const inviteForLonger = (
  signalling: Signalling,
  invite: SipRequest,
  response: SipResponse,
): SipRequest | null => {
  const least = minSeOf(response);
  if (response.status !== 422 || least <= (sessionExpiresOf(invite)?.seconds ?? 0)) return null;
  return withHeader(withHeader(again(signalling, invite), sessionExpires(least)), minSe(least));
};
