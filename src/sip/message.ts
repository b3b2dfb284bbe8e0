import type { NameAddr } from './name-addr.ts';
import type { Uri } from './uri.ts';
import type { Via } from './via.ts';

export interface CSeq {
  readonly number: number;
  readonly method: string;
}

/** A header that no typed field holds. The name is in its long form, in the sender's letter case. */
export interface Header {
  readonly name: string;
  readonly value: string;
}

/** What requests and responses share. Lists are in wire order: the topmost first. */
export interface SipFields {
  readonly vias: readonly [Via, ...Via[]];
  readonly from: NameAddr;
  readonly to: NameAddr;
  readonly callId: string;
  readonly cseq: CSeq;
  readonly maxForwards: number | null;
  readonly contacts: readonly NameAddr[];
  readonly routes: readonly NameAddr[];
  readonly recordRoutes: readonly NameAddr[];
  readonly headers: readonly Header[];
  /** As on the wire, or null if there is none. */
  readonly contentType: string | null;
  readonly body: Uint8Array;
}

export interface SipRequest extends SipFields {
  readonly kind: 'request';
  readonly method: string;
  readonly uri: Uri;
}

export interface SipResponse extends SipFields {
  readonly kind: 'response';
  readonly status: number;
  readonly reason: string;
}

export type SipMessage = SipRequest | SipResponse;

export const EMPTY_BODY: Uint8Array = new Uint8Array(0);

/** Value of the first header of that name, letter case ignored, or null. */
export const findHeader = (message: SipFields, name: string): string | null => {
  const wanted = name.toLowerCase();
  return message.headers.find((header) => header.name.toLowerCase() === wanted)?.value ?? null;
};

/** Values of every header of that name, letter case ignored. */
export const findHeaders = (message: SipFields, name: string): readonly string[] => {
  const wanted = name.toLowerCase();
  return message.headers.filter((header) => header.name.toLowerCase() === wanted).map(({ value }) => value);
};
