import {
  ackInDialog,
  confirmDialog,
  type Dialog,
  dialogOfAnswer,
  keyOfDialog,
  type RequestParts,
  receiveInDialog,
  refreshedBy,
  requestInDialog,
} from '../sip/dialog.ts';
import type { Hop } from '../sip/hop.ts';
import type { SipRequest, SipResponse } from '../sip/message.ts';
import type { Via } from '../sip/via.ts';
import { ackSender } from './ack-sender.ts';
import { newBranch, type Signalling, viaOf, withNextHop } from './signalling.ts';
import { credentialsOf, type TrunkLogin } from './trunk-login.ts';

export interface DialogRequestsParts {
  readonly invite: SipRequest;
  /** The answer that made the dialog: a 2xx, or a provisional one with a To-tag. */
  readonly response: SipResponse;
  readonly localAddress: string;
  /** Where the INVITE went. */
  readonly peer: Hop;
  readonly login: TrunkLogin;
}

export interface FinalAnswerUser {
  /** The final answer, challenges apart; each repeated 2xx of an INVITE too. */
  readonly onFinal: (response: SipResponse, request: SipRequest) => void;
  /** No answer came in time, or the request could not be sent. */
  readonly onFailure: () => void;
}

const TARGET_REFRESH = ['INVITE', 'UPDATE'];

/** A dialog as our end keeps it (RFC 3261 12), and the requests that we send in it. */
export class DialogRequests {
  readonly #signalling: Signalling;
  /** Without the response, which need not stay in memory as long as the dialog. */
  readonly #parts: Omit<DialogRequestsParts, 'response'>;
  #dialog: Dialog;

  constructor(signalling: Signalling, { response, ...parts }: DialogRequestsParts) {
    this.#signalling = signalling;
    this.#parts = parts;
    this.#dialog = dialogOfAnswer(parts.invite, response);
  }

  get key(): string {
    return keyOfDialog(this.#dialog);
  }

  /** Contact of what we send in it: that of the INVITE. */
  get contact(): Pick<RequestParts, 'contact'> {
    const [contact] = this.#parts.invite.contacts;
    return contact ? { contact } : {};
  }

  /** CSeq number of the peer's last request; null before the first. */
  get remoteSeq(): number | null {
    return this.#dialog.remoteSeq;
  }

  /** The 2xx has come to what was an early dialog. */
  confirm(response: SipResponse): void {
    this.#dialog = confirmDialog(this.#dialog, response);
  }

  /** Counts a request of the peer; false if it is out of order, which is to be answered with 500. */
  receive(request: SipRequest): boolean {
    const next = receiveInDialog(this.#dialog, request);
    if (next) this.#dialog = next;
    return next !== null;
  }

  /** Builds the ACK of a 2xx and gives what sends it: each time the same octets (RFC 3261 13.2.2.4). */
  ackOf(invite: SipRequest): () => void {
    const ack = ackInDialog(this.#dialog, invite.cseq.number, this.#newVia(), credentialsOf(invite));
    return ackSender(this.#signalling, ack, this.#parts.peer);
  }

  /** Sends a request, and once more with credentials if it is challenged. */
  send(method: string, parts: Omit<RequestParts, 'via'>, user: FinalAnswerUser): void {
    const isRefresh = TARGET_REFRESH.includes(method);
    const contact = isRefresh ? this.contact : {};
    const built = requestInDialog(this.#dialog, method, { ...contact, ...parts, via: this.#newVia() });
    this.#dialog = built.dialog;
    const { login, peer } = this.#parts;
    const answerChallenge = login.answerer();
    const start = (request: SipRequest, to: Hop): void => {
      const onResponse = (response: SipResponse): void => {
        if (response.status < 200) return;
        const again = answerChallenge(request, response, to);
        if (again) start(this.#renumbered(again), to);
        else {
          if (isRefresh && response.status < 300) this.#dialog = refreshedBy(this.#dialog, response);
          user.onFinal(response, request);
        }
      };
      this.#signalling.clients.start(request, to, { onResponse, onFailure: user.onFailure });
    };
    withNextHop(this.#signalling, built.request, peer, (to) => start(login.sign(built.request, to), to));
  }

  /** Other requests may have been sent since the one that was challenged: the number is the dialog's next. */
  #renumbered(request: SipRequest): SipRequest {
    const number = (this.#dialog.localSeq ?? 0) + 1;
    this.#dialog = { ...this.#dialog, localSeq: number };
    return { ...request, cseq: { number, method: request.method } };
  }

  #newVia(): Via {
    return viaOf(this.#signalling, this.#parts.localAddress, newBranch(this.#signalling.random));
  }
}
