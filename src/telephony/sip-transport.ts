import type { Hop, SendOctets, Source, TransportName } from '../sip/hop.ts';

/** `isUnframed`: nobody can tell how long the body is, and nothing more will come from there (RFC 3261 18.3). */
export type OnMessage = (octets: Uint8Array, from: Source, isUnframed?: boolean) => void;

/** Carries whole SIP messages. */
export interface SipTransport {
  /** Where it is bound, which may be a wildcard address. */
  readonly address: string;
  /** Of UDP, and of TCP if it is listened for. */
  readonly port: number;
  /** The port that peers are told to reach us at. */
  portOf(transport: TransportName): number;
  readonly send: SendOctets;
  /** One handler: a later one replaces it. */
  onMessage(handler: OnMessage): void;
  /** Hears of each connection that was lost. One handler: a later one replaces it. */
  onLost(handler: (end: Hop) => void): void;
  close(): Promise<void>;
}

/** PEM texts. */
export interface TlsMaterial {
  /** Shown to peers, as server and as client; null to show none and not to listen. */
  readonly own: { readonly certificate: string; readonly key: string } | null;
  /** Whom to trust, in place of the authorities that Node knows. */
  readonly authorities: string | null;
}
