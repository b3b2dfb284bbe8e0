import type { PhoneCodec } from './codecs.ts';
import type { Reception } from './reception.ts';
import type { Pause } from './recording.ts';

/** What a test phone does when it is called. */
export type PhoneBehaviour = 'answer' | 'busy' | 'ring' | 'decline' | { readonly hangUpAfterMs: number };

/**
 * How a call ended: `bye`, the caller hung up; `hung_up`, the phone did; `cancelled`, the caller gave up while it rang;
 * `refused`, the phone never answered; `failed`, no ACK came, or no voice for too long.
 */
export type CallEnd = 'bye' | 'hung_up' | 'cancelled' | 'refused' | 'failed';

/** What happens on a test phone, call by call. */
export type PhoneEvent =
  | { readonly type: 'invite'; readonly sipCallId: string; readonly from: string }
  /** The ACK is in. */
  | { readonly type: 'answered'; readonly sipCallId: string; readonly codec: PhoneCodec }
  | {
      readonly type: 'ended';
      readonly sipCallId: string;
      readonly how: CallEnd;
      /** Final status the phone answered the INVITE with. */
      readonly sipStatus: number;
      /** Null if the call was never answered. */
      readonly reception: Reception | null;
    }
  | {
      readonly type: 'recorded';
      readonly sipCallId: string;
      readonly path: string;
      readonly samples: number;
      readonly pauses: readonly Pause[];
    }
  | { readonly type: 'not_recorded'; readonly sipCallId: string; readonly reason: string };
