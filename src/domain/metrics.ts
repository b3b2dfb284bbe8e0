import type { AppErrorCode } from './app-error.ts';
import type { Outcome } from './outcome.ts';

/** Why something was refused; `other` for what no use case foresaw. */
export type RefusalCode = AppErrorCode | 'other';

/** An attempt that has ended, and whether its call ended with it. */
export interface EndedAttempt {
  /** Null for a call dialled directly. */
  readonly trunkId: string | null;
  readonly outcome: Outcome;
  /** From answer to end; null if nobody answered. */
  readonly answeredForMs: number | null;
  /** False if a rule gives the call another attempt. */
  readonly callEnded: boolean;
}

export interface EndedRequest {
  readonly listener: 'public' | 'operator';
  readonly method: string;
  /** Pattern of the route, never the path, which may hold a token; null if nothing was found. */
  readonly route: string | null;
  readonly status: number;
  readonly durationMs: number;
}

/** One commit of the store, for all units of work that shared it. */
export interface EndedCommit {
  readonly units: number;
  /** From its begin to its end on the disk. */
  readonly durationMs: number;
  readonly isCommitted: boolean;
}

/** What happens, as it is counted. No verb throws, waits, or takes anything that could name a person or a secret. */
export interface Metrics {
  noteBlast(result: 'accepted' | 'replayed' | RefusalCode): void;
  noteGrant(result: 'issued' | RefusalCode): void;
  noteUpload(result: 'committed' | RefusalCode): void;
  /** An attempt is committed and about to be placed; `noteOutcome` follows, once. */
  noteAttempt(trunkId: string | null): void;
  noteAnswer(trunkId: string | null): void;
  /** An attempt ended, and its outcome is committed. */
  noteOutcome(attempt: EndedAttempt): void;
  /** Calls that ended without an attempt of this process: while they waited, or left open by a crash. */
  noteEndedUndialled(outcome: Outcome, calls: number): void;
  noteCommit(commit: EndedCommit): void;
  noteRequest(request: EndedRequest): void;
  /** One attempt at a webhook: refused if its address is not one to be reached. */
  noteDelivery(result: 'delivered' | 'rejected' | 'unanswered' | 'refused'): void;
  /** SIP messages of calls that were not kept, since the store was slow or gone. */
  noteSipMessagesDropped(messages: number): void;
}

/** How the voices of all calls are doing, read at a scrape. */
export interface VoiceFigures {
  /** Whether packets leave too late for another call to be added. */
  isOverloaded(): boolean;
  /** Packets since the start, and those of them that left 10 ms late or more. */
  lateness(): { readonly packets: number; readonly latePackets: number };
}

/** The metrics as a scraper reads them. */
export interface Exposition {
  readonly contentType: string;
  read(): Promise<string>;
}
