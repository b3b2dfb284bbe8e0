import type { Log, RandomSource, WakeAfter } from '../domain/ports.ts';
import type { ClientTransactions } from '../sip/client-transactions.ts';
import { nextHopOf } from '../sip/dialog.ts';
import type { Header, SipRequest } from '../sip/message.ts';
import { type NameAddr, nameAddr } from '../sip/name-addr.ts';
import type { SendOctets, ServerTransaction } from '../sip/server-transactions.ts';
import { bracketHost, isSipUri, sipUri } from '../sip/uri.ts';
import { type Address, BRANCH_COOKIE, udpVia, type Via } from '../sip/via.ts';
import type { KnownChallenges } from './known-challenges.ts';
import type { FindLocalAddress } from './local-address.ts';
import type { Locate } from './locate.ts';

/** What a call sees of the user agent that places it. */
export interface Signalling {
  readonly clients: ClientTransactions;
  /** Confirmed dialogs by `dialogKey` at our end. */
  readonly dialogs: Map<string, DialogUser>;
  readonly send: SendOctets;
  readonly locate: Locate;
  readonly findLocalAddress: FindLocalAddress;
  /** Port of Via and Contact. */
  readonly port: number;
  /** Notes an address as that of a peer of ours, no stranger. */
  readonly meet: (peer: Address) => void;
  /** The last challenges of the trunks. */
  readonly challenges: KnownChallenges;
  /** Hears whether a trunk takes our user name and password. */
  readonly onLogin: (trunkId: string, verdict: 'accepted' | 'refused') => void;
  readonly wakeAfter: WakeAfter;
  readonly random: RandomSource;
  readonly log: Log;
}

/** Who answers the requests that a peer sends inside a dialog. */
export interface DialogUser {
  onRequest(transaction: ServerTransaction): void;
  onAck(ack: SipRequest): void;
}

export const USER_AGENT: Header = { name: 'User-Agent', value: 'Ringcast' };
/** What a peer may send us inside a dialog. */
export const ALLOWED_METHODS: readonly string[] = ['INVITE', 'ACK', 'CANCEL', 'BYE', 'OPTIONS', 'INFO', 'UPDATE'];
export const ALLOW: Header = { name: 'Allow', value: ALLOWED_METHODS.join(', ') };

/** Extensions that we speak, and that a peer may require: RFC 3262 and RFC 4028. */
export const EXTENSIONS: readonly string[] = ['100rel', 'timer'];
export const SUPPORTED: Header = { name: 'Supported', value: EXTENSIONS.join(', ') };

export const newBranch = (random: RandomSource): string => `${BRANCH_COOKIE}${random.hex(12)}`;

export const viaOf = (signalling: Pick<Signalling, 'port'>, localAddress: string, branch: string): Via =>
  udpVia(bracketHost(localAddress), signalling.port, branch);

export const contactOf = (signalling: Pick<Signalling, 'port'>, localAddress: string): NameAddr =>
  nameAddr(sipUri({ user: 'ringcast', host: bracketHost(localAddress), port: signalling.port }));

/**
 * Hands `use` the address that a request inside a dialog goes to: at once unless its host is a name. A next hop that
 * cannot be found is replaced by `fallback`, where the dialog began, so that every ACK and BYE is sent somewhere.
 */
export const withNextHop = (
  signalling: Signalling,
  request: SipRequest,
  fallback: Address,
  use: (to: Address) => void,
): void => {
  const uri = nextHopOf(request);
  const located = isSipUri(uri) ? signalling.locate(uri.host, uri.port) : fallback;
  const go = (to: Address): void => {
    signalling.meet(to);
    use(to);
  };
  if (!(located instanceof Promise)) go(located);
  else {
    located.then(go, (error: unknown) => {
      signalling.log.warn(
        { err: error, callId: request.callId },
        'next hop of a dialog not found; using its first peer',
      );
      go(fallback);
    });
  }
};
