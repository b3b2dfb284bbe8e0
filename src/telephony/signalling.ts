import type { Log, RandomSource, WakeAfter } from '../domain/ports.ts';
import type { ClientTransactions } from '../sip/client-transactions.ts';
import { nextHopOf } from '../sip/dialog.ts';
import { defaultPortOf, type Hop, type SendOctets, type TransportName, transportOfUri } from '../sip/hop.ts';
import type { Header, SipRequest } from '../sip/message.ts';
import { type NameAddr, nameAddr } from '../sip/name-addr.ts';
import { findParam, type Params } from '../sip/params.ts';
import { targetOfUri } from '../sip/server-location.ts';
import type { ServerTransaction } from '../sip/server-transactions.ts';
import { bareHost, bracketHost, isSipUri, type SipUri, sipUri, type Uri } from '../sip/uri.ts';
import { type Address, BRANCH_COOKIE, udpVia, type Via } from '../sip/via.ts';
import type { HopMemory } from './hop-memory.ts';
import type { KnownChallenges } from './known-challenges.ts';
import type { FindLocalAddress } from './local-address.ts';
import type { Locate } from './locate.ts';
import type { CallSign } from './trunk-evidence.ts';

/** What a call sees of the user agent that places it. */
export interface Signalling {
  readonly clients: ClientTransactions;
  /** Confirmed dialogs by `dialogKey` at our end. */
  readonly dialogs: Map<string, DialogUser>;
  readonly send: SendOctets;
  readonly locate: Locate;
  /** Which hops failed lately. */
  readonly hops: HopMemory;
  readonly findLocalAddress: FindLocalAddress;
  /** Port of Via and Contact over a transport. */
  readonly portOf: (transport: TransportName) => number;
  /** Notes an address as that of a peer of ours, no stranger. */
  readonly meet: (peer: Address) => void;
  /** The last challenges of the trunks. */
  readonly challenges: KnownChallenges;
  /** Hears whether a trunk takes our user name and password. */
  readonly onLogin: (trunkId: string, verdict: 'accepted' | 'refused') => void;
  /** Hears what each call shows of its trunk. */
  readonly onCallSign: (trunkId: string, sign: CallSign) => void;
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

/** The Via of a request; whoever sends it completes it for its transport (`requestOver`). */
export const viaOf = (signalling: Pick<Signalling, 'portOf'>, localAddress: string, branch: string): Via =>
  udpVia(bracketHost(localAddress), signalling.portOf('udp'), branch);

/** Where the peer of a transport reaches us; `sips` for a request to such a URI (RFC 3261 8.1.1.8). */
export const contactOf = (
  signalling: Pick<Signalling, 'portOf'>,
  localAddress: string,
  transport: TransportName,
  scheme: 'sip' | 'sips' = 'sip',
): NameAddr => {
  const params: Params = transport === 'udp' || scheme === 'sips' ? [] : [['transport', transport]];
  const host = bracketHost(localAddress);
  return nameAddr({ ...sipUri({ user: 'ringcast', host, port: signalling.portOf(transport), params }), scheme });
};

/**
 * Whether a Contact means the very place where the dialog began: then what that place has proved counts, not the
 * address that stands there in its name's stead, and a transport that is left out is the one that led there.
 */
const isWhere = (began: Hop, uri: SipUri, transport: TransportName): boolean => {
  const isUnsaid = uri.scheme === 'sip' && findParam(uri.params, 'transport') === undefined;
  const port = uri.port ?? defaultPortOf(isUnsaid ? began.transport : transport);
  const isTransport = isUnsaid || transport === began.transport;
  return isTransport && port === began.port && bareHost(uri.host) === began.address;
};

/** The hops of a URI inside a dialog. What is no SIP URI or asks for what we do not speak is the fallback. */
const locateUri = (signalling: Signalling, uri: Uri, fallback: Hop): readonly Hop[] | Promise<readonly Hop[]> => {
  const transport = isSipUri(uri) ? transportOfUri(uri) : null;
  if (!isSipUri(uri) || transport === null || isWhere(fallback, uri, transport)) return [fallback];
  return signalling.locate(targetOfUri(uri));
};

/**
 * Hands `use` the address that a request inside a dialog goes to: at once unless its host is a name. A next hop that
 * cannot be found is replaced by `fallback`, where the dialog began, so that every ACK and BYE is sent somewhere.
 */
export const withNextHop = (
  signalling: Signalling,
  request: SipRequest,
  fallback: Hop,
  use: (to: Hop) => void,
): void => {
  const located = locateUri(signalling, nextHopOf(request), fallback);
  const go = (to: Hop): void => {
    signalling.meet(to);
    use(to);
  };
  const goToFirst = ([to = fallback]: readonly Hop[]): void => go(to);
  if (!(located instanceof Promise)) goToFirst(located);
  else {
    located.then(goToFirst, (error: unknown) => {
      signalling.log.warn(
        { err: error, callId: request.callId },
        'next hop of a dialog not found; using its first peer',
      );
      go(fallback);
    });
  }
};
