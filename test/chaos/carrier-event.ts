import { existsSync, readFileSync } from 'node:fs';

/** What the fake carrier saw of a dialog, a line of JSON each in its log. */
export interface CarrierEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly type: CarrierEventType;
  readonly sipCallId: string;
  /** Of the INVITE that opened the dialog. */
  readonly branch: string;
}

/**
 * `invite`: the first octet of an INVITE that is no repetition. `answered`: 200 was sent. `ended`: nothing of the dialog
 * is left, and `refused`, `cancelled`, `bye`, `hung-up` tell why. `unacknowledged`: no ACK came for 32 s.
 */
export type CarrierEventType =
  | 'invite'
  | 'ringing'
  | 'answered'
  | 'acknowledged'
  | 'refused'
  | 'cancelled'
  | 'bye'
  | 'hung-up'
  | 'unacknowledged';

/** Events after which a dialog is over. */
export const ENDINGS: readonly CarrierEventType[] = ['refused', 'cancelled', 'bye', 'hung-up', 'unacknowledged'];

/** The log as far as it is written. */
export const readCarrierLog = (path: string): readonly CarrierEvent[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : [];

/** Dialogs that have begun and not ended, by Call-ID. */
export const openDialogs = (events: readonly CarrierEvent[]): readonly string[] => {
  const ended = new Set(events.filter(({ type }) => ENDINGS.includes(type)).map(({ sipCallId }) => sipCallId));
  const begun = new Set(events.filter(({ type }) => type === 'invite').map(({ sipCallId }) => sipCallId));
  return [...begun].filter((sipCallId) => !ended.has(sipCallId));
};
