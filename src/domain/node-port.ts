import type { DialogNames } from './call.ts';
import type { NodeBeats } from './lease.ts';

export interface NodeViews {
  /** Nodes that were not taken over, at most 1,000. */
  listNodes(): Promise<readonly NodeBeats[]>;
  /**
   * Of each other node that was not taken over, at most 1,000: the calls that it dialled in the minute before its last
   * beat, or null if it may have room for calls.
   */
  listPacesElsewhere(): Promise<readonly (number | null)[]>;
}

export interface TakenOverNode {
  readonly nodeId: string;
  /** What it had dialled and not seen end: peers may still ring or listen. */
  readonly dialogs: readonly InterruptedDialog[];
  /** What it had itself taken over, and not ended yet. */
  readonly left: readonly LeftDialog[];
}

/** A dialog that a node has left at a peer. */
export interface LeftDialog {
  readonly attemptId: string;
  readonly sipCallId: string;
  readonly trunkId: string | null;
  /** What ends it; null if no answer was recorded. */
  readonly dialog: string | null;
}

export interface InterruptedDialog extends DialogNames, LeftDialog {
  readonly destination: string;
  readonly answeredAt: number | null;
}

export interface ClockVerbs {
  /** The time, read anew with all that nodes have said of it. */
  readClock(): Promise<number>;
  /** The same; nobody else changes the clock until this unit of work ends. Not for every beat: a stopped node would hold it. */
  lockClock(): Promise<number>;
  /** From the next `readClock` on, times are so much earlier than they would have been. */
  setClockBack(byMs: number): Promise<void>;
  /** Goes back by a little of what the clock was set by, so that in days times are those of the machine again. */
  slewClock(): Promise<void>;
}

export interface NodeVerbs extends ClockVerbs {
  addNode(nodeId: string): Promise<void>;
  /**
   * Tells others `callsPerMinuteOverloaded`: null while this node may have room for calls. False if another has taken the
   * node over: it must go on under another id.
   */
  beat(nodeId: string, callsPerMinuteOverloaded: number | null): Promise<boolean>;
  /**
   * Takes over a node that has not beaten since it showed these beats; null if it has, or if another took it over. Its
   * attempts in progress, and their calls, end `interrupted`; the grants it had claimed are open again, and what it had
   * staged of uploads is dropped.
   */
  takeOverNode(node: NodeBeats, takerId: string): Promise<TakenOverNode | null>;
  /** The dialog of an interrupted attempt has been ended: no further take-over tells of it. */
  forgetDialog(attemptId: string): Promise<void>;
}
