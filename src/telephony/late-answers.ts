import type { ClientTransactionUser } from '../sip/client-transactions.ts';
import type { Hop } from '../sip/hop.ts';
import type { Header, SipResponse } from '../sip/message.ts';
import { tagOf } from '../sip/name-addr.ts';
import { q850Header } from '../sip/reason.ts';
import { respond } from '../sip/response.ts';
import { DialogRequests } from './dialog-requests.ts';
import { traceOfAnswer } from './dialog-trace.ts';
import type { DialogUser, Signalling } from './signalling.ts';
import type { TrunkLogin } from './trunk-login.ts';

/** What a call leaves behind. */
export interface Remains {
  readonly login: TrunkLogin;
  /** Of its INVITE. */
  readonly credentials: readonly Header[];
  readonly localAddress: string;
  /** What sends the ACK of each dialog, by To-tag. */
  readonly acks: Map<string | null, () => void>;
  /** Keys of its dialogs. */
  readonly keys: readonly string[];
}

/** Forks of one INVITE that are hung up properly; a proxy that makes more is not taken seriously. */
export const MAX_DIALOGS = 16;

/** Q.850 26: who answered after somebody else had. */
export const NOT_SELECTED = q850Header(26, 'Non-selected user clearing');

/** Requests that we may have sent in an early dialog: our CSeq number is beyond theirs (RFC 3261 12.2.1.1). */
const SKIPPED_NUMBERS = 1_000;

const NOBODY = { onFinal: () => undefined, onFailure: () => undefined };

/** Serves a dialog that is over, for a BYE that crossed ours and may be repeated (RFC 5407 3.2.1). */
const OVER: DialogUser = {
  onRequest: (transaction) =>
    transaction.answer(respond(transaction.request, transaction.request.method === 'BYE' ? 200 : 481)),
  onAck: () => undefined,
};

/**
 * Listens for a call that is over, and for as long as its INVITE transactions last: a repeated 2xx gets its ACK again, a
 * fork that answers now is hung up. It is all that stays in memory of a call for 64*T1.
 */
export class LateAnswers {
  readonly #signalling: Signalling;
  readonly #remains: Remains;
  #transactions = 0;

  constructor(signalling: Signalling, remains: Remains) {
    this.#signalling = signalling;
    this.#remains = remains;
  }

  /** The user of one more of its INVITE transactions. */
  listen(hop: Hop): ClientTransactionUser {
    this.#transactions += 1;
    for (const key of this.#remains.keys) this.#signalling.dialogs.set(key, OVER);
    return {
      onResponse: (response) => this.#onAnswer(response, hop),
      onFailure: () => undefined,
      onTerminated: () => this.#onTerminated(),
    };
  }

  #onAnswer(response: SipResponse, from: Hop): void {
    if (response.status < 200 || response.status >= 300) return;
    const acknowledge = this.#remains.acks.get(tagOf(response.to));
    if (acknowledge) acknowledge();
    else if (this.#remains.acks.size < MAX_DIALOGS) this.#hangUp(response, from);
  }

  #onTerminated(): void {
    this.#transactions -= 1;
    if (this.#transactions > 0) return;
    for (const key of this.#remains.keys) this.#signalling.dialogs.delete(key);
  }

  #hangUp(response: SipResponse, peer: Hop): void {
    const { login, credentials, localAddress, acks } = this.#remains;
    const invite = { ...traceOfAnswer(response, peer).invite, headers: credentials };
    const { number, method } = invite.cseq;
    const requests = new DialogRequests(this.#signalling, {
      invite: { ...invite, cseq: { number: number + SKIPPED_NUMBERS, method } },
      response,
      localAddress,
      peer,
      login,
    });
    const acknowledge = requests.ackOf(invite);
    acks.set(tagOf(response.to), acknowledge);
    acknowledge();
    requests.send('BYE', { headers: [NOT_SELECTED] }, NOBODY);
  }
}
